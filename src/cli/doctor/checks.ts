/** What `kyclone doctor` looks at. Each check answers one line; none changes anything. */
import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '../../client/client.ts';
import { discover, readApiKeys, type DaemonState } from '../../client/discover.ts';
import type { InstancePaths } from '../../kernel/paths.ts';
import { describeFailure } from '../failure.ts';

export interface Check {
  readonly name: string;
  readonly outcome: 'ok' | 'warn' | 'fail';
  readonly message: string;
}

export interface DoctorInput {
  readonly paths: InstancePaths;
  /** The package's folder. */
  readonly root: string;
  readonly hasKeychainBus: boolean;
}

const OLDEST_NODE = [20, 17] as const;
const DEFAULT_PORT = 4630;
const OTHERS_MAY_ACCESS = 0o077;

export async function runChecks(input: DoctorInput): Promise<Check[]> {
  const state = await locatorState(input.paths);
  const isRunning = !(state instanceof Error) && state.kind === 'running';
  return [
    checkNode(process.versions.node),
    ...checkPaths(input.paths),
    checkLocator(state),
    isRunning ? await checkDaemon(state) : await checkPort(),
    await checkPackage(input.root, 'SQLite', "new (require('better-sqlite3'))(':memory:').close()", 'fail'),
    input.hasKeychainBus
      ? await checkPackage(input.root, 'keychain', "require('@napi-rs/keyring')", 'warn')
      : warn('keychain', 'no session bus: the vault key is kept in a file'),
  ];
}

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  return isEnough ? ok('node', version) : fail('node', `${version} is older than ${OLDEST_NODE.join('.')}`);
}

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

function checkPath(name: string, path: string): Check {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats)
    return canBeMade(path) ? ok(name, `${path} (not there yet)`) : fail(name, `${path} cannot be made`);
  const user = process.getuid?.();
  if (user === undefined) return ok(name, path);
  if (stats.uid !== user) return fail(name, `${path} belongs to another user`);
  const mode = (stats.mode & 0o777).toString(8);
  return (stats.mode & OTHERS_MAY_ACCESS) === 0
    ? ok(name, `${path} (${mode})`)
    : fail(name, `${path} is open to other users (${mode}); chmod go-rwx it`);
}

function canBeMade(path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    try {
      accessSync(folder, constants.W_OK);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || folder === dirname(folder)) return false;
    }
  }
}

async function locatorState(paths: InstancePaths): Promise<DaemonState | Error> {
  try {
    readApiKeys(paths.credentialsFile);
    return await discover(paths);
  } catch (error) {
    return error as Error;
  }
}

function checkLocator(state: DaemonState | Error): Check {
  if (state instanceof Error) return fail('locator', describeFailure(state).message);
  switch (state.kind) {
    case 'absent':
      return ok('locator', 'no daemon runs');
    case 'running':
      return ok('locator', `process ${state.locator.pid} at ${state.locator.url}`);
    case 'stale':
      return warn(
        'locator',
        state.isProcessAlive
          ? `process ${state.locator.pid} exists and does not answer as the daemon that was started`
          : 'left over from a daemon that ended without cleaning up; the next start replaces it',
      );
  }
}

async function checkDaemon({ locator }: { locator: { url: string; control_token: string } }): Promise<Check> {
  try {
    const client = createClient({ baseUrl: locator.url, controlToken: locator.control_token });
    const info = await client.call('GET /_kyclone/info');
    return ok('daemon', `version ${info.version}, ${info.storage}, serving`);
  } catch (error) {
    return fail('daemon', describeFailure(error).message);
  }
}

function checkPort(): Promise<Check> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () =>
      resolve(warn('port', `${DEFAULT_PORT} is taken; start with --port 0 or another`)),
    );
    server.listen(DEFAULT_PORT, '127.0.0.1', () =>
      server.close(() => resolve(ok('port', `${DEFAULT_PORT} is free`))),
    );
  });
}

/** Loads a native module as the daemon would, in a process of its own: a broken one can end the process. */
async function checkPackage(
  root: string,
  name: string,
  code: string,
  outcome: 'warn' | 'fail',
): Promise<Check> {
  try {
    await promisify(execFile)(process.execPath, ['-e', code], { cwd: root });
    return ok(name, 'loads');
  } catch {
    return { name, outcome, message: 'does not load on this machine; npm rebuild may help' };
  }
}

const ok = (name: string, message: string): Check => ({ name, outcome: 'ok', message });
const warn = (name: string, message: string): Check => ({ name, outcome: 'warn', message });
const fail = (name: string, message: string): Check => ({ name, outcome: 'fail', message });
