/**
 * The checks of `kyclone doctor`. Each check is one line. None changes anything, and none throws: something that
 * can't be checked is a finding.
 */
import { execFile } from 'node:child_process';
import { resolve, basename, join } from 'node:path';
import { boolean, string } from '@oclif/core/flags';
import { promisify } from 'node:util';
import { createClient } from '../../client/client.ts';
import { discover, readApiKeys, type DaemonState } from '../../client/discover.ts';
import { DEFAULT_PORT } from '../../nouns/control/facts.ts';
import { keychainLibrary } from '../../kernel/program/keychain-library.ts';
import { withDataDirectory, type InstancePaths } from '../../kernel/files/paths.ts';
import { programArguments, singleFile, snippetArguments } from '../../kernel/program/single-file.ts';
import { isSettingName, judgedSettings, keptMembers, preferencesFile } from '../config/preferences.ts';
import { isFree } from '../instance/lifecycle.ts';
import { judgeProject } from '../project/project.ts';
import { made } from '../shell/derived.ts';
import {
  type Check,
  fail,
  ok,
  warn,
  checkServedStore,
  checkStoppedStore,
  type DeepCheck,
  checkPaths,
  checkSpace,
  checkTemporary,
} from '../doctor/state.ts';
import { notRunning } from '../shell/daemon-access.ts';
import type { CliEnvironment } from '../shell/environment.ts';
import { describeFailure } from '../shell/failure.ts';
import { printable, type Style } from '../shell/output.ts';

interface DoctorInput {
  /** Rejects if the instance or its location is ambiguous. */
  readonly target: () => Promise<{ readonly paths: InstancePaths }>;
  /** The folder of the store, if it isn't in the usual place. */
  readonly dataDirectory?: string | undefined;
  /** Other things to check; each rejects if it is wrong. */
  readonly configured: readonly Configured[];
  /** The package's folder. */
  readonly root: string;
  readonly hasKeychainBus: boolean;
  readonly deep?: DeepCheck | undefined;
}

const OLDEST_NODE = [20, 17] as const;

/** A part of the user's configuration that a start reads. */
interface Configured {
  readonly name: string;
  /** Returns the finding. Rejects with the problem. */
  readonly look: () => Promise<string>;
}

async function runChecks(input: DoctorInput): Promise<Check[]> {
  return [
    checkNode(process.versions.node),
    ...(await checkInstance(input)),
    checkTemporary(),
    ...(await Promise.all(input.configured.map(checkConfigured))),
    await checkSqlite(input.root),
    input.hasKeychainBus
      ? await checkKeychain()
      : warn('keychain', 'no session bus: a new vault keeps its key in a file'),
  ];
}

async function checkInstance({ target, dataDirectory, deep }: DoctorInput): Promise<Check[]> {
  let paths: InstancePaths;
  try {
    ({ paths } = await target());
    if (dataDirectory !== undefined) paths = withDataDirectory(paths, dataDirectory);
  } catch (error) {
    return [fail('instance', failureText(error))];
  }
  const state = await locatorState(paths);
  const isRunning = !(state instanceof Error) && state.kind === 'running';
  return [
    ...checkPaths(paths),
    checkSpace(paths.dataDirectory),
    checkLocator(basename(paths.stateDirectory), state),
    isRunning ? await checkDaemon(state) : await checkPort(),
    ...(deep ? [await checkStore(paths, state, deep)] : []),
  ];
}

async function checkConfigured({ name, look }: Configured): Promise<Check> {
  try {
    return ok(name, await look());
  } catch (error) {
    return fail(name, failureText(error));
  }
}

function failureText(error: unknown): string {
  const { message, hint, context } = describeFailure(error);
  const where = Object.values(context ?? {}).map((text) => ` (${text})`);
  return `${message}${where.join('')}${hint === undefined ? '' : `; ${hint}`}`;
}

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  return isEnough ? ok('node', version) : fail('node', `${version} is older than ${OLDEST_NODE.join('.')}`);
}

async function locatorState(paths: InstancePaths): Promise<DaemonState | Error> {
  try {
    readApiKeys(paths.credentialsFile);
    return await discover(paths);
  } catch (error) {
    return error as Error;
  }
}

function checkLocator(instance: string, state: DaemonState | Error): Check {
  if (state instanceof Error) return fail('locator', failureText(state));
  switch (state.kind) {
    case 'absent':
      return ok('locator', 'no daemon runs');
    case 'running':
      return ok('locator', `process ${state.locator.pid} at ${state.locator.url}`);
    case 'dead':
      return warn('locator', `${notRunning(instance, state).message}; the next start replaces it`);
    default:
      return fail('locator', notRunning(instance, state).message);
  }
}

async function checkDaemon({ locator }: { locator: { url: string; control_token: string } }): Promise<Check> {
  try {
    const client = createClient({ baseUrl: locator.url, controlToken: locator.control_token });
    const info = await client.call('GET /_kyclone/info');
    const serving = `version ${info.version}, ${info.storage}, serving`;
    const { not_ready: reason } = info;
    return reason === undefined
      ? ok('daemon', serving)
      : fail('daemon', `${serving}, but not ready: ${reason}`);
  } catch (error) {
    return fail('daemon', failureText(error));
  }
}

async function checkStore(paths: InstancePaths, state: DaemonState | Error, deep: DeepCheck): Promise<Check> {
  try {
    if (state instanceof Error) throw state;
    if (state.kind === 'running') return await checkServedStore(state.locator, deep);
    if (state.kind === 'absent' || state.kind === 'dead') return await checkStoppedStore(paths, deep);
    return fail('store', 'not checked: it is unknown whether a daemon has it open');
  } catch (error) {
    return fail('store', `not checked: ${failureText(error)}`);
  }
}

async function checkPort(): Promise<Check> {
  return (await isFree(DEFAULT_PORT, '127.0.0.1'))
    ? ok('port', `${DEFAULT_PORT} is free`)
    : warn('port', `${DEFAULT_PORT} is taken; start with --port 0 or another`);
}

/** Opens a database as the daemon would, in a separate process: a broken native module can end its process. */
async function checkSqlite(root: string): Promise<Check> {
  try {
    const script = join(root, 'bin', 'kycloned.js');
    const { stdout } = await promisify(execFile)(
      process.execPath,
      programArguments(script, ['--check-sqlite']),
    );
    return ok('SQLite', stdout.trim());
  } catch (error) {
    const errorText = (error as { stderr?: string }).stderr?.trim();
    return fail('SQLite', errorText ? errorText : 'ends the process that opens it');
  }
}

/** Loads the native module of the keychain, also in a separate process. */
async function checkKeychain(): Promise<Check> {
  try {
    const load = snippetArguments('require(process.argv[1])', keychainLibrary());
    await promisify(execFile)(process.execPath, load);
    return ok('keychain', 'loads');
  } catch {
    const remedy = singleFile() === undefined ? '; npm rebuild may help' : '';
    return warn('keychain', `does not load on this machine${remedy}`);
  }
}

async function lookAtSettings({ bases }: CliEnvironment): Promise<string> {
  const settings = await judgedSettings(bases);
  const unknown = Object.keys(keptMembers(bases)).filter((name) => !isSettingName(name));
  const count = Object.keys(settings).length;
  const kept = count === 0 ? 'none is kept' : `${count} kept in ${preferencesFile(bases)}`;
  return unknown.length === 0
    ? kept
    : `${kept}; ${unknown.length} with an unknown name, which is ignored: kyclone config delete NAME`;
}

async function lookAtProject(environment: CliEnvironment): Promise<string> {
  const project = await environment.project();
  await judgeProject(project);
  return project === undefined ? 'no project file here' : project.file;
}

export function doctorView({ checks }: { checks: readonly Check[] }, style: Style): string {
  const mark = { ok: style.good('ok  '), warn: style.warn('warn'), fail: style.bad('fail') };
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .map(({ name, outcome, message }) => `${mark[outcome]}  ${name.padEnd(width)}  ${printable(message)}`)
    .join('\n');
}

export default made(
  {
    summary: 'Check what kyclone needs on this machine; exit code 1 when something fails',
    examples: ['', '--deep', '--deep --data-dir ./vault', '--json'],
    flags: {
      deep: boolean({
        summary: 'also check every page of the store, on a copy that temporarily needs as much space',
      }),
      'data-dir': string({
        summary: 'look at the store in this folder, of a daemon started with --data-dir that has stopped',
        helpValue: 'DIR',
      }),
    },
    fails: ({ ok: isWell }: { ok: boolean; checks: readonly Check[] }) => !isWell,
    view: doctorView,
  },
  async ({ flags }, { target, environment, config: { root }, note }) => {
    const checks = await runChecks({
      target,
      dataDirectory: flags['data-dir'] === undefined ? undefined : resolve(flags['data-dir']),
      configured: [
        { name: 'settings', look: () => lookAtSettings(environment) },
        { name: 'project', look: () => lookAtProject(environment) },
      ],
      root,
      hasKeychainBus: environment.hasKeychainBus,
      ...(flags.deep && { deep: { root, onProgress: progressOf(note) } }),
    });
    return { ok: checks.every(({ outcome }) => outcome !== 'fail'), checks };
  },
);

function progressOf(note: (text: string) => void) {
  let last = -1;
  return (checked: number, steps: number) => {
    if (checked === last) return;
    last = checked;
    note(steps === 0 ? 'Copying the store' : `Checking the store: ${checked} of ${steps}`);
  };
}
