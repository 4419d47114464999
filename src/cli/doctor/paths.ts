/** Folders and files as `kyclone doctor` looks at them. Nothing here throws: what can't be looked at is a finding. */
import { accessSync, constants, lstatSync, statfsSync, statSync, type Stats } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { InstancePaths } from '../../kernel/paths.ts';
import { causeOf } from '../../kernel/system-failure.ts';
import { MIB } from '../../kernel/units.ts';
import { fail, ok, warn, type Check } from './check.ts';

const OTHERS_MAY_ACCESS = 0o077;
const LITTLE_SPACE_BYTES = 64 * MIB;

/** Folders and files that exist are the user's and closed to others; what doesn't exist yet can be made. */
export function checkPaths(paths: InstancePaths): Check[] {
  const secret = [
    ['data folder', paths.dataDirectory],
    ['state folder', paths.stateDirectory],
    ['API keys', paths.credentialsFile],
    ['vault key file', paths.vaultKeyFile],
    ['log', paths.logFile],
  ] as const;
  return secret.map(([name, path]) => checkPath(name, path));
}

/** The folder of `kyclone exec` and of other things that are temporary. */
export function checkTemporary(): Check {
  const path = resolve(tmpdir());
  const problem = problemOfFolder(path);
  return problem === undefined
    ? ok('temporary', path)
    : fail('temporary', `${path} cannot be used: ${problem}; set TMPDIR to another folder`);
}

/** Whether there is room where the data is, or is to be. */
export function checkSpace(path: string): Check {
  const folder = nearestFolder(path);
  try {
    const { bavail, bsize } = statfsSync(folder);
    const free = bavail * bsize;
    const shown = `${Math.floor(free / MIB)} MiB free at ${folder}`;
    return free < LITTLE_SPACE_BYTES ? warn('disk space', `only ${shown}`) : ok('disk space', shown);
  } catch (error) {
    return warn('disk space', `${folder} cannot be asked: ${why(error)}`);
  }
}

function checkPath(name: string, path: string): Check {
  let stats: Stats | undefined;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return fail(name, `${path} cannot be looked at: ${why(error)}`);
  }
  if (!stats) {
    const folder = nearestFolder(dirname(path));
    const problem = problemOfFolder(folder);
    return problem === undefined
      ? ok(name, `${path} (not there yet)`)
      : fail(name, `${path} cannot be made: ${folder}: ${problem}`);
  }
  const isFolder = name.endsWith('folder');
  if (stats.isDirectory() !== isFolder)
    return fail(name, `${path} is ${isFolder ? 'no folder' : 'no file'}; move it away`);
  const user = process.getuid?.();
  if (user === undefined) return ok(name, path);
  if (stats.uid !== user) return fail(name, `${path} belongs to another user`);
  const mode = (stats.mode & 0o777).toString(8);
  return (stats.mode & OTHERS_MAY_ACCESS) === 0
    ? ok(name, `${path} (${mode})`)
    : fail(name, `${path} is open to other users (${mode}); chmod go-rwx it`);
}

/** The path itself or the first above it that is there, a link to nowhere included. */
function nearestFolder(path: string): string {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    if (folder === dirname(folder)) return folder;
    try {
      if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) return folder;
    } catch {
      // A file or a closed folder further up: that one is found next.
    }
  }
}

/** Why nothing can be made in it; undefined when something can. */
function problemOfFolder(path: string): string | undefined {
  try {
    if (!statSync(path).isDirectory()) return 'it is a file, not a folder';
    accessSync(path, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return why(error);
  }
}

function why(error: unknown): string {
  return causeOf(error) ?? 'failed';
}
