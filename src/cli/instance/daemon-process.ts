/**
 * Starts `bin/kycloned.js`: in the background until it reports that it is ready, or in the foreground until it ends.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ServiceError } from '../../kernel/errors.ts';
import { openToWrite } from '../../kernel/files/file-to-write.ts';
import { noteNewFiles, noteNewFolders } from '../../kernel/files/new-paths.ts';
import type { InstancePaths } from '../../kernel/files/paths.ts';
import { makeFolder } from '../../kernel/files/private-folder.ts';
import { programArguments, singleFile } from '../../kernel/program/single-file.ts';
import { causeOf } from '../../kernel/system-failure.ts';
import { EXIT, exitCodeOfEnd } from '../shell/exit-codes.ts';
import { CliError, UsageError } from '../shell/failure.ts';
import { requireUsersFolder } from '../shell/files.ts';

/**
 * Filters the caller's Node options for a daemon. NODE_OPTIONS is meant for the caller's own programs: a debugger,
 * preloaded code or a dump on a signal would expose a process that holds keys and values. Options known to be
 * harmless are kept; all others are left out and reported.
 */

const HARMLESS: ReadonlySet<string> = new Set([
  'max-old-space-size',
  'max-old-space-size-percentage',
  'max-semi-space-size',
  'min-semi-space-size',
  'max-heap-size',
  'semi-space-growth-factor',
  'optimize-for-size',
  'lite-mode',
  'stack-trace-limit',
  'stack-size',
  'v8-pool-size',
  'expose-gc',
  'warnings',
  'disable-warning',
  'deprecation',
  'trace-warnings',
  'trace-deprecation',
  'throw-deprecation',
  'pending-deprecation',
  'unhandled-rejections',
  'enable-source-maps',
  'experimental-vm-modules',
  'experimental-wasm-modules',
  'experimental-strip-types',
  'experimental-transform-types',
  'experimental-default-type',
  'experimental-detect-module',
  'experimental-require-module',
  'experimental-eventsource',
  'experimental-websocket',
  'experimental-sqlite',
  'preserve-symlinks',
  'dns-result-order',
  'network-family-autoselection',
  'network-family-autoselection-attempt-timeout',
  'use-bundled-ca',
  'use-openssl-ca',
  'use-system-ca',
  'tls-min-v1.2',
  'tls-min-v1.3',
  'secure-heap',
  'secure-heap-min',
  'zero-fill-buffers',
  'disable-proto',
  'disable-sigusr1',
  'frozen-intrinsics',
]);

/**
 * Returns the value for NODE_OPTIONS, undefined if nothing is left, and the names of the options that were left out.
 * Words are separated by spaces, as Node parses them. In double quotes, spaces are part of a word.
 */
export function harmlessOptions(nodeOptions: string | undefined) {
  const kept: string[] = [];
  const dropped: string[] = [];
  let isKept = false;
  for (const word of (nodeOptions ?? '').match(/(?:[^ "]|"(?:[^"\\]|\\.)*"?)+/g) ?? []) {
    const isFlag = word.startsWith('-');
    if (isFlag) {
      const flag = word.replaceAll('"', '').replace(/=.*$/s, '');
      const name = flag.replace(/^--(?:no-)?/, '').replaceAll('_', '-');
      isKept = flag.startsWith('--') && HARMLESS.has(name);
      if (!isKept) dropped.push(flag);
    }
    // A word without a dash is the value of the option before it.
    if (isKept) kept.push(word);
  }
  return { kept: kept.length === 0 ? undefined : kept.join(' '), dropped };
}

/** Variables that make Node write its traffic to the log, or load code from elsewhere. */
const UNSAFE_VARIABLES = [
  'NODE_DEBUG',
  'NODE_DEBUG_NATIVE',
  'NODE_PATH',
  'NODE_TLS_REJECT_UNAUTHORIZED',
] as const;

/** The environment of a daemon, and a notice about options that were left out. */
export function daemonVariables(environment: NodeJS.ProcessEnv): {
  environment: NodeJS.ProcessEnv;
  notices: readonly string[];
} {
  // The single executable has options of its own.
  const options = singleFile() === undefined ? environment['NODE_OPTIONS'] : undefined;
  const { kept, dropped } = harmlessOptions(options);
  const result = { ...environment };
  for (const name of UNSAFE_VARIABLES) Reflect.deleteProperty(result, name);
  if (kept === undefined) delete result['NODE_OPTIONS'];
  else result['NODE_OPTIONS'] = kept;
  // Yarn's Plug'n'Play puts them there by itself (src/kernel/program/own-require.ts).
  const isYarns = (name: string) =>
    process.versions['pnp'] !== undefined && ['--require', '--experimental-loader'].includes(name);
  const unexpected = dropped.filter((name) => !isYarns(name));
  const notices =
    unexpected.length === 0
      ? []
      : [
          `The daemon starts without ${unexpected.join(', ')} of NODE_OPTIONS: it takes only what can do it no harm.`,
        ];
  return { environment: result, notices };
}

/** Options for Node itself. If it supports this, a signal can't open the debugger from the very first moment. */
export function signalOptions(version: string): string[] {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const isKnown = major > 23 || (major === 23 && minor >= 7) || (major === 22 && minor >= 14);
  return isKnown ? ['--disable-sigusr1'] : [];
}

/** The daemon's message over its IPC channel, sent once. */
export interface ReadyMessage {
  readonly type: 'ready';
  readonly url: string;
  readonly pid: number;
  readonly version: string;
  readonly instance: string;
  readonly ephemeral: boolean;
  readonly notices: readonly string[];
}
interface FailedMessage {
  readonly type: 'failed';
  readonly code: string;
  readonly message: string;
  readonly exit_code: number;
  /** The remedy and the path, if the machine refused something. */
  readonly hint?: string;
  readonly path?: string;
}

export interface DaemonStart {
  /** The package's folder. */
  readonly root: string;
  readonly paths: InstancePaths;
  readonly options: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}

const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Starts a daemon that outlives this process. Its output goes to the instance's log. Throws a CliError with the
 * daemon's own code and exit code if it refuses to start.
 */
export async function startInBackground(start: DaemonStart): Promise<ReadyMessage> {
  const { stateDirectory, dataDirectory, logFile, vaultKeyFile } = start.paths;
  // Also removes the daemon's folders after a failed start: the daemon finds them existing, and so leaves them.
  const removeFolders = noteNewFolders([stateDirectory, dataDirectory, dirname(vaultKeyFile)]);
  const removeLog = noteNewFiles([logFile]);
  makeFolder(stateDirectory);
  requireUsersFolder(stateDirectory);
  const log = openToWrite(start.paths.logFile, { followsOwn: false });
  const options = [...start.options, '--log-file', start.paths.logFile];
  const daemon = spawnDaemon({ ...start, options }, ['ignore', log, log, 'ipc']);
  closeSync(log);
  try {
    const ready = await firstMessage(daemon, start);
    if (daemon.connected) daemon.disconnect();
    daemon.unref();
    return ready;
  } catch (error) {
    // Keeps the log if the daemon wrote to it.
    if (statSync(logFile, { throwIfNoEntry: false })?.size === 0) removeLog();
    removeFolders();
    throw error;
  }
}

/** A daemon that ends with this process at the latest. */
export interface AttachedDaemon {
  readonly process: ChildProcess;
  /** Resolves to its exit code when it ends. */
  readonly ended: Promise<number>;
  /** Resolves when it reports that it is ready. Rejects as `startInBackground` does. */
  readonly ready: Promise<ReadyMessage>;
}

/**
 * Starts a daemon that stops when this process ends, however that happens. Its output goes to `logFile`. A Ctrl-C at
 * the terminal doesn't reach it.
 */
export function startAttached(start: DaemonStart, logFile: string): AttachedDaemon {
  const log = openLog(logFile);
  const options = [...start.options, '--log-file', logFile, '--stop-with-parent'];
  // The channel stays open: the daemon notices our end when it closes.
  const daemon = spawnDaemon({ ...start, options }, ['ignore', log, log, 'ipc']);
  closeSync(log);
  const ended = endOf(daemon);
  const ready = firstMessage(daemon, start);
  ready.catch(() => undefined);
  return { process: daemon, ended, ready };
}

/**
 * Runs a daemon as our child, with its output on our stderr and signals forwarded. Returns its exit code. It gets a
 * process group of its own, so that a Ctrl-C reaches it only once, through us; it stops by itself when this process is
 * killed. What fails after a signal was forwarded
 * is not thrown: the daemon was asked to stop, so it no longer answers.
 */
export async function runInForeground(
  start: DaemonStart,
  onReady: (ready: ReadyMessage) => void | Promise<void>,
): Promise<number> {
  const options = [...start.options, '--stop-with-parent'];
  const daemon = spawnDaemon({ ...start, options }, ['ignore', 2, 2, 'ipc']);
  const ended = endOf(daemon);
  const forwarded: NodeJS.Signals[] = [];
  const forward = (signal: NodeJS.Signals) => {
    forwarded.push(signal);
    daemon.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
  };
  for (const signal of FORWARDED_SIGNALS) process.on(signal, forward);
  try {
    await onReady(await firstMessage(daemon, start));
    return await ended;
  } catch (error) {
    daemon.kill('SIGTERM');
    const code = await ended;
    if (forwarded.length > 0) return code;
    throw error;
  } finally {
    for (const signal of FORWARDED_SIGNALS) process.off(signal, forward);
  }
}

function spawnDaemon(start: DaemonStart, stdio: ('ignore' | 'ipc' | number)[]): ChildProcess {
  const script = join(start.root, 'bin', 'kycloned.js');
  return spawn(process.execPath, programArguments(script, start.options, signalOptions(process.version)), {
    stdio,
    detached: true,
    env: daemonVariables(start.environment).environment,
  });
}

/** Throws UsageError, because the user may have named the file. */
function openLog(file: string): number {
  try {
    return openToWrite(file, { isEmptied: true });
  } catch (error) {
    if (error instanceof ServiceError) throw new UsageError(error.message);
    throw new UsageError(`The log file ${file} cannot be written: ${causeOf(error) ?? 'failed'}`);
  }
}

function endOf(daemon: ChildProcess): Promise<number> {
  return new Promise((resolve) =>
    daemon
      .once('exit', (code, signal) => resolve(exitCodeOfEnd(code, signal)))
      .once('error', () => resolve(EXIT.failed)),
  );
}

function firstMessage(daemon: ChildProcess, { environment }: DaemonStart): Promise<ReadyMessage> {
  return new Promise((resolve, reject) => {
    daemon.once('error', (error) => reject(error));
    daemon.once('exit', (code, signal) =>
      reject(
        new CliError('The daemon ended before it was ready', {
          code: 'daemon_failed',
          exitCode: exitCodeOfEnd(code, signal) || EXIT.failed,
          hint: 'kyclone logs shows its last output',
        }),
      ),
    );
    daemon.once('message', (message: ReadyMessage | FailedMessage) => {
      if (message.type === 'ready') {
        resolve({ ...message, notices: [...daemonVariables(environment).notices, ...message.notices] });
      } else {
        const { code, exit_code: exitCode, hint, path } = message;
        reject(new CliError(message.message, { code, exitCode, hint, path }));
      }
    });
  });
}
