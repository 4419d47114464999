/** A folder for the few files of an instance in memory: its lock, log, keys and sealed uploads. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface PrivateFolder {
  readonly path: string;
  remove(): void;
}

/** The folders of instances that were not closed. */
const kept = new Set<string>();

function removeKept(): void {
  for (const path of kept) rmSync(path, { recursive: true, force: true });
}

/** Only this user may enter it. It is deleted by `remove`, or at the end of the process. */
export function privateFolder(): PrivateFolder {
  const path = mkdtempSync(join(tmpdir(), 'kyclone-testing-'));
  if (kept.size === 0) process.on('exit', removeKept);
  kept.add(path);
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true });
      kept.delete(path);
      if (kept.size === 0) process.off('exit', removeKept);
    },
  };
}
