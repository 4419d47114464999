/** A folder for the few files of an instance in memory: its lock, log, keys and sealed uploads. */
import { rmSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { runInThisContext } from 'node:vm';
import { beforeSignals } from '../kernel/before-signals.ts';
import { makeTemporaryFolder } from '../kernel/temporary-folders.ts';

/** The real one: a runner whose tests have a context of their own has put a copy there, which never ends. */
const realProcess = runInThisContext('process') as NodeJS.Process;

export interface PrivateFolder {
  readonly path: string;
  remove(): void;
}

/** The folders of instances that were not closed. */
const kept = new Set<string>();

let release: () => void = () => undefined;

function removeKept(): void {
  for (const path of kept) rmSync(path, { recursive: true, force: true });
}

function keep(path: string): void {
  if (kept.size === 0) {
    realProcess.on('exit', removeKept);
    // A thread gets no signals.
    if (isMainThread) release = beforeSignals(removeKept, realProcess);
  }
  kept.add(path);
}

function forget(path: string): void {
  kept.delete(path);
  if (kept.size > 0) return;
  realProcess.off('exit', removeKept);
  release();
}

/**
 * Only this user may enter it. It is deleted by `remove`, at the end of the process, or by a later start when the process
 * was killed, as test runners do with their workers.
 */
export function privateFolder(): PrivateFolder {
  const path = makeTemporaryFolder('testing');
  keep(path);
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true });
      forget(path);
    },
  };
}
