/**
 * Checks folders, files and the store for `kyclone doctor`. Nothing here throws: something that can't be checked is a
 * finding.
 *
 * Reads every page of the store, through the running daemon or in a process of its own.
 */
import { attempt } from '../../kernel/attempt.ts';
import { accessSync, constants, lstatSync, statfsSync, statSync, type Stats, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, resolve, basename, join } from 'node:path';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { InstancePaths } from '../../kernel/files/paths.ts';
import { programArguments } from '../../kernel/program/single-file.ts';
import { causeOf } from '../../kernel/system-failure.ts';
import { MIB } from '../../kernel/numbers/units.ts';
import { createClient } from '../../client/client.ts';
import type { AnswerOf } from '../../contract/registry.ts';

export interface Check {
  readonly name: string;
  readonly outcome: 'ok' | 'warn' | 'fail';
  readonly message: string;
}

export const ok = (name: string, message: string): Check => ({ name, outcome: 'ok', message });
export const warn = (name: string, message: string): Check => ({ name, outcome: 'warn', message });
export const fail = (name: string, message: string): Check => ({ name, outcome: 'fail', message });

const OTHERS_MAY_ACCESS = 0o077;
const LITTLE_SPACE_BYTES = 64 * MIB;

const KEY_ELSEWHERE = "does not exist: the vault's key is elsewhere, or lost";

/**
 * Existing folders and files must belong to the user and be closed to others. Missing ones must be possible to
 * create.
 */
export function checkPaths(paths: InstancePaths): Check[] {
  const secret = [
    ['data folder', paths.dataDirectory],
    ['state folder', paths.stateDirectory],
    ['API keys', paths.credentialsFile],
    ['vault key file', paths.vaultKeyFile],
    ['log', paths.logFile],
  ] as const;
  const hasVault = existsSync(paths.storeFile);
  return secret.map(([name, path]) =>
    checkPath(name, path, name === 'vault key file' && hasVault ? KEY_ELSEWHERE : undefined),
  );
}

/** The folder for temporary files, such as those of `kyclone exec`. */
export function checkTemporary(): Check {
  const path = resolve(tmpdir());
  const problem = problemOfFolder(path);
  return problem === undefined
    ? ok('temporary', path)
    : fail('temporary', `${path} cannot be used: ${problem}; set TMPDIR to another folder`);
}

/** Checks that the disk of the data folder has space. */
export function checkSpace(path: string): Check {
  const folder = nearestFolder(path);
  try {
    const { bavail, bsize } = statfsSync(folder);
    const free = bavail * bsize;
    const shown = `${Math.floor(free / MIB)} MiB free at ${folder}`;
    return free < LITTLE_SPACE_BYTES ? warn('disk space', `only ${shown}`) : ok('disk space', shown);
  } catch (error) {
    return warn('disk space', `${folder} cannot be checked: ${why(error)}`);
  }
}

function checkPath(name: string, path: string, absence = 'does not exist yet'): Check {
  let stats: Stats | undefined;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return fail(name, `${path} cannot be checked: ${why(error)}`);
  }
  if (!stats) {
    const folder = nearestFolder(dirname(path));
    const problem = problemOfFolder(folder);
    return problem === undefined
      ? ok(name, `${path} (${absence})`)
      : fail(name, `${path} cannot be created: ${folder}: ${problem}`);
  }
  const isFolder = name.endsWith('folder');
  if (stats.isDirectory() !== isFolder)
    return fail(name, `${path} is not a ${isFolder ? 'folder' : 'file'}; move it away`);
  const user = process.getuid?.();
  if (user === undefined) return ok(name, path);
  if (stats.uid !== user) return fail(name, `${path} belongs to another user`);
  const mode = (stats.mode & 0o777).toString(8);
  return (stats.mode & OTHERS_MAY_ACCESS) === 0
    ? ok(name, `${path} (${mode})`)
    : fail(name, `${path} is open to other users (${mode}); chmod go-rwx it`);
}

/** The path itself, or its nearest existing parent; a dangling link counts as existing. */
function nearestFolder(path: string): string {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    if (folder === dirname(folder)) return folder;
    const at = folder;
    // What cannot be looked at has a file or a closed folder further up, which is found next.
    if (attempt(() => lstatSync(at, { throwIfNoEntry: false })) !== undefined) return folder;
  }
}

/** Why nothing can be created in it; undefined if it is possible. */
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

export interface DeepCheck {
  /** The package's folder. */
  readonly root: string;
  readonly onProgress: (checked: number, steps: number) => void;
}

type StoreCheck = AnswerOf<'GET /_kyclone/store/check'>;

const POLL_MS = 200;
const SHOWN_PROBLEMS = 3;

/** Rejects as the client does. */
export async function checkServedStore(
  { url, control_token }: { url: string; control_token: string },
  { onProgress }: DeepCheck,
): Promise<Check> {
  const client = createClient({ baseUrl: url, controlToken: control_token });
  let state = await client.call('POST /_kyclone/store/check');
  while (state.status === 'running') {
    onProgress(state.checked, state.steps);
    await delay(POLL_MS);
    state = await client.call('GET /_kyclone/store/check');
  }
  if (state.status === 'never')
    return fail('store', 'not checked: a snapshot was loaded meanwhile; run it again');
  if (state.failure === null && state.steps === 0)
    return ok('store', 'kept in memory: there are no pages to check');
  return verdict(state);
}

/** Rejects when the process can't be started. */
export async function checkStoppedStore(
  { dataDirectory, stateDirectory, storeFile }: InstancePaths,
  { root, onProgress }: DeepCheck,
): Promise<Check> {
  const none = () => {
    const elsewhere = 'one that was started with --data-dir is checked with the same --data-dir';
    return warn('store', `there is none at ${storeFile}; kyclone start makes one, and ${elsewhere}`);
  };
  if (!existsSync(dataDirectory)) return none();
  const child = spawn(
    process.execPath,
    programArguments(join(root, 'bin', 'kycloned.js'), [
      '--check-store',
      '--instance',
      basename(stateDirectory),
      '--data-dir',
      dataDirectory,
    ]),
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const failed = new Promise<never>((_, reject) => child.once('error', reject));
  let state: Omit<StoreCheck, 'status'> = { checked: 0, steps: 0, problems: [], failure: null };
  const read = async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      const found = JSON.parse(line) as Omit<StoreCheck, 'status'>;
      state = {
        checked: found.checked,
        steps: found.steps,
        problems: [...state.problems, ...found.problems],
        failure: found.failure ?? null,
      };
      onProgress(found.checked, found.steps);
    }
  };
  await Promise.race([read(), failed]);
  return state.failure?.startsWith('There is no store at') ? none() : verdict(state);
}

function verdict({ checked, steps, problems, failure }: Omit<StoreCheck, 'status'>): Check {
  if (problems.length > 0) {
    const more = problems.length > SHOWN_PROBLEMS ? `; ${problems.length - SHOWN_PROBLEMS} more` : '';
    return fail(
      'store',
      `damaged: ${problems.slice(0, SHOWN_PROBLEMS).join('; ')}${more}. ` +
        'Restore the data folder from a copy, or move it away, start again and load a snapshot',
    );
  }
  if (failure !== null)
    return fail(
      'store',
      steps > 0 && checked === steps ? `kyclone start refuses it: ${failure}` : `not checked: ${failure}`,
    );
  if (steps === 0 || checked < steps) return fail('store', 'not checked completely: the check was stopped');
  return ok('store', `every page is whole (${steps - 1} tables)`);
}
