import { readdirSync, readlinkSync } from 'node:fs';

/** How many handles this process has on a folder and the files in it (Linux). */
export function openHandles(folder: string): number {
  return readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(folder);
    } catch {
      // The one that listed the descriptors.
      return false;
    }
  }).length;
}
