import { readdirSync, readlinkSync } from 'node:fs';

/** Counts the handles that this process has on a folder and on the files in it (Linux). */
export function openHandles(folder: string): number {
  return readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(folder);
    } catch {
      // This handle listed the descriptors, and is closed now.
      return false;
    }
  }).length;
}
