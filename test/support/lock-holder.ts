/** Another process that holds our lock until it is killed. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { whenFinished } from './finishing.ts';

const STORAGE = join(import.meta.dirname, '..', '..', 'src', 'storage');

const PROGRAMS = {
  database: (path: string) =>
    `import { openDatabase } from ${JSON.stringify(join(STORAGE, 'database.ts'))};
     globalThis.held = openDatabase(${JSON.stringify(path)});`,
  lock: (path: string) =>
    `import { takeLock } from ${JSON.stringify(join(STORAGE, 'lock.ts'))};
     globalThis.held = takeLock(${JSON.stringify(path)});`,
};

/** Resolves when the other process holds the store, or the lock file, at `path`. */
export async function holdInAnotherProcess(
  what: keyof typeof PROGRAMS,
  path: string,
): Promise<{ kill(): Promise<void> }> {
  const program = `${PROGRAMS[what](path)}
    if (!globalThis.held) throw new Error('not taken');
    process.send('held');
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    cwd: join(STORAGE, '..', '..'),
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  whenFinished(kill);
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    void ended.then(() => reject(new Error('the other process ended before it had the lock')));
  });
  return { kill };
}
