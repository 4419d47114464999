/**
 * The script of action.yml. `start` starts an instance in memory, with its files below RUNNER_TEMP, and passes its
 * address and credentials to the following steps. `stop` keeps a report if the job failed, and stops the instance.
 * The script needs no installed packages, and uses the instance through the command line only.
 *
 * It masks credentials before it writes them anywhere. It encloses values in the runner's files in fresh random
 * delimiters, so that no value can set another variable.
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const INSTANCE = 'action';
/** The form of a credential: no character with a special meaning in a mask or in a file of the runner. */
const CREDENTIAL = /^[\w-]{16,}$/;
const ADDRESS = /^http:\/\/[\w.:[\]-]+$/;

/** An error with a message for the log of the job. */
class ActionError extends Error {}

const input = (/** @type {string} */ name) => process.env[`KYCLONE_ACTION_${name}`] ?? '';

const say = (/** @type {string} */ text) => void process.stdout.write(`${text}\n`);

function required(/** @type {string} */ name) {
  const value = process.env[name];
  if (!value) throw new ActionError(`${name} is not set: this script is for a runner of GitHub Actions`);
  return value;
}

function linesOf(/** @type {string} */ text) {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Adds a value to a file of the runner (GITHUB_ENV, GITHUB_OUTPUT). */
function give(/** @type {string} */ file, /** @type {string} */ name, /** @type {string} */ value) {
  const delimiter = `kyclone_${randomUUID()}`;
  appendFileSync(required(file), `${name}<<${delimiter}\n${value}\n${delimiter}\n`);
}

/** The program to run: the single executable, or the script of a package. */
function program() {
  const workspace = process.env['GITHUB_WORKSPACE'] ?? process.cwd();
  const named = input('FILE');
  if (named === '') return join(packageFolder(workspace), 'bin', 'kyclone.js');
  const file = resolve(workspace, named);
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return file;
  throw new ActionError('file is not the executable of kyclone');
}

/** The folder of the package to run. */
function packageFolder(/** @type {string} */ workspace) {
  const named = input('PACKAGE');
  if (named !== '') {
    const folder = resolve(workspace, named);
    if (isBuilt(folder)) return folder;
    throw new ActionError('package is not a folder that contains kyclone; run npm ci before this step');
  }
  const installed = join(workspace, 'node_modules', 'kyclone');
  return isBuilt(installed) ? installed : ownClone();
}

function isBuilt(/** @type {string} */ folder) {
  return existsSync(join(folder, 'bin', 'kyclone.js')) && existsSync(join(folder, 'dist', 'cli.cjs'));
}

/** The repository that this file belongs to. Builds it on first use. */
function ownClone() {
  const folder = resolve(dirname(fileURLToPath(import.meta.url)), '..');
  if (isBuilt(folder)) return folder;
  say('Building kyclone, which takes some minutes; installing kyclone in the project avoids this');
  const isWindows = process.platform === 'win32';
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: isWindows,
  });
  if (status !== 0 || !isBuilt(folder)) throw new ActionError('kyclone could not be built');
  return folder;
}

/** Runs a kyclone command for the instance below `home`. Returns its output. */
function kyclone(
  /** @type {string} */ path,
  /** @type {string} */ home,
  /** @type {readonly string[]} */ argv,
) {
  const environment = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^KYCLONE_(?!TRUST_PROJECT$)/.test(name)),
  );
  const [command = '', ...words] = path.endsWith('.js') ? [process.execPath, path] : [path];
  const { status, stdout } = spawnSync(command, [...words, ...argv, '--instance', INSTANCE], {
    env: { ...environment, KYCLONE_HOME: home, KYCLONE_NO_KEYCHAIN: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 256 * 1024 * 1024,
    encoding: 'utf8',
  });
  if (status !== 0) throw new ActionError(`kyclone ${argv[0]} ended with ${status}`);
  return stdout;
}

function start() {
  // Set up first what the last step needs, because anything after may fail.
  for (const file of ['GITHUB_ENV', 'GITHUB_OUTPUT']) required(file);
  const path = program();
  const home = mkdtempSync(join(required('RUNNER_TEMP'), 'kyclone-'));
  give('GITHUB_ENV', 'KYCLONE_ACTION_HOME', home);
  give('GITHUB_ENV', 'KYCLONE_ACTION_PROGRAM', path);
  const value = (/** @type {string} */ flag, /** @type {string} */ text) =>
    text === '' ? [] : [`--${flag}=${text}`];
  const argv = [
    ...['start', '--detach', '--ephemeral', '--port=0', '--json'],
    ...value('seed', input('SEED')),
    ...value('clock', input('CLOCK')),
    ...linesOf(input('FIXTURES')).flatMap((file) => value('fixture', file)),
    ...linesOf(input('OPTIONS')),
  ];
  const summary = JSON.parse(startIn(path, home, argv));
  const variables = JSON.parse(kyclone(path, home, ['env', '--json']));
  const address = String(variables.KYCLONE_BASE_URL);
  const credentials = ['KYCLONE_API_KEY', 'KYCLONE_LIVE_API_KEY', 'KYCLONE_CONTROL_TOKEN'].map((name) =>
    String(variables[name]),
  );
  if (!ADDRESS.test(address) || !credentials.every((each) => CREDENTIAL.test(each))) {
    throw new ActionError('kyclone printed an address or credentials in an unexpected form');
  }
  for (const credential of credentials) say(`::add-mask::${credential}`);
  for (const [name, value] of Object.entries(variables)) give('GITHUB_ENV', name, value);
  give('GITHUB_OUTPUT', 'base-url', address);
  offerCommand(path, home);
  say(`kyclone ${summary.version} is ready at ${address}`);
}

/** Deletes the folder after a failed start, so that the last step has nothing to stop. */
function startIn(
  /** @type {string} */ path,
  /** @type {string} */ home,
  /** @type {readonly string[]} */ argv,
) {
  try {
    return kyclone(path, home, argv);
  } catch (error) {
    rmSync(home, { recursive: true, force: true });
    throw error;
  }
}

/** Makes `kyclone` available to later steps. Windows does not run linked scripts, so use `npx kyclone` there. */
function offerCommand(/** @type {string} */ path, /** @type {string} */ home) {
  const file = process.env['GITHUB_PATH'];
  if (!file || process.platform === 'win32') return;
  mkdirSync(join(home, 'bin'));
  symlinkSync(path, join(home, 'bin', 'kyclone'));
  appendFileSync(file, `${join(home, 'bin')}\n`);
}

function stop() {
  const status = input('JOB_STATUS');
  if (!['success', 'failure', 'cancelled'].includes(status)) {
    throw new ActionError('mode stop needs job-status: ${{ job.status }}');
  }
  const home = homeOfStart();
  if (home === undefined) {
    say('No instance was started');
    return;
  }
  const path = input('PROGRAM');
  try {
    if (status !== 'success') keep(path, home);
  } finally {
    kyclone(path, home, ['stop']);
    rmSync(home, { recursive: true, force: true });
  }
}

/** The folder that `start` made. Checks it, because any step may have changed the variable since. */
function homeOfStart() {
  const home = input('HOME');
  if (home === '' || !existsSync(home)) return undefined;
  const parent = realpathSync(required('RUNNER_TEMP'));
  const path = realpathSync(home);
  if (dirname(path) !== parent || !/[/\\]kyclone-\w+$/.test(path)) {
    throw new ActionError('KYCLONE_ACTION_HOME is not the folder that mode start created');
  }
  return path;
}

/** Keeps the files of `kyclone exec --report`, with masked values. If the instance died, only its log is available. */
function keep(/** @type {string} */ path, /** @type {string} */ home) {
  const report = mkdtempSync(join(required('RUNNER_TEMP'), 'kyclone-report-'));
  let shown;
  try {
    shown = kyclone(path, home, ['report', report]);
  } catch (error) {
    if (!(error instanceof ActionError)) throw error;
    const words = existsSync(join(report, 'daemon.log'))
      ? 'The journal could not be read: the report contains only the log of the instance'
      : 'There is no report: neither the journal nor the log of the instance could be read';
    say(`::warning title=kyclone::${words}`);
  }
  if (existsSync(join(report, 'daemon.log'))) give('GITHUB_OUTPUT', 'report', report);
  if (shown !== undefined) show(shown.trimEnd());
}

/** Prints text for people, while the runner interprets no commands. */
function show(/** @type {string} */ text) {
  const token = randomUUID();
  say([`::stop-commands::${token}`, text, `::${token}::`].join('\n'));
}

function escaped(/** @type {string} */ text) {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

try {
  const mode = input('MODE');
  if (mode === 'start') start();
  else if (mode === 'stop') stop();
  else throw new ActionError('mode is start or stop');
} catch (error) {
  if (!(error instanceof ActionError)) throw error;
  say(`::error title=kyclone::${escaped(error.message)}`);
  process.exitCode = 1;
}
