/** Starts `bin/kycloned.js`: in the background until it says that it is ready, or in the foreground until it ends. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { InstancePaths } from '../kernel/paths.ts';
import { EXIT, SIGNAL_EXIT_BASE } from './exit-codes.ts';
import { CliError, UsageError } from './failure.ts';

/** What the daemon says once over its IPC channel. */
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
 * Starts a daemon that outlives this process; its output goes to the instance's log. Throws CliError with the
 * daemon's own code and exit code when it refuses to start.
 */
export async function startInBackground(start: DaemonStart): Promise<ReadyMessage> {
  mkdirSync(start.paths.stateDirectory, { recursive: true, mode: 0o700 });
  const log = openSync(start.paths.logFile, 'a', 0o600);
  const options = [...start.options, '--log-file', start.paths.logFile];
  const daemon = spawnDaemon({ ...start, options }, ['ignore', log, log, 'ipc']);
  closeSync(log);
  const ready = await firstMessage(daemon);
  if (daemon.connected) daemon.disconnect();
  daemon.unref();
  return ready;
}

/** A daemon that lives no longer than this process. */
export interface AttachedDaemon {
  readonly process: ChildProcess;
  /** Its exit code, when it has ended. */
  readonly ended: Promise<number>;
  /** Settles when it says that it is ready. Rejects as `startInBackground` does. */
  readonly ready: Promise<ReadyMessage>;
}

/**
 * Starts a daemon that stops when this process ends, however that ends; what it writes goes to `logFile`. A Ctrl-C at
 * the terminal doesn't reach it.
 */
export function startAttached(start: DaemonStart, logFile: string): AttachedDaemon {
  const log = openLog(logFile);
  const options = [...start.options, '--log-file', logFile, '--stop-with-parent'];
  // The channel stays open: that it closes is how the daemon learns of our end.
  const daemon = spawnDaemon({ ...start, options }, ['ignore', log, log, 'ipc']);
  closeSync(log);
  const ended = endOf(daemon);
  const ready = firstMessage(daemon);
  ready.catch(() => undefined);
  return { process: daemon, ended, ready };
}

/**
 * Runs a daemon as our child, output on our stderr, signals forwarded; answers its exit code when it has ended.
 * It gets a process group of its own, so that a Ctrl-C reaches it once, through us.
 */
export async function runInForeground(
  start: DaemonStart,
  onReady: (ready: ReadyMessage) => void | Promise<void>,
): Promise<number> {
  const daemon = spawnDaemon(start, ['ignore', 2, 2, 'ipc']);
  const ended = endOf(daemon);
  const forward = (signal: NodeJS.Signals) => void daemon.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
  for (const signal of FORWARDED_SIGNALS) process.on(signal, forward);
  try {
    await onReady(await firstMessage(daemon));
    return await ended;
  } catch (error) {
    daemon.kill('SIGTERM');
    await ended;
    throw error;
  } finally {
    for (const signal of FORWARDED_SIGNALS) process.off(signal, forward);
  }
}

function spawnDaemon(start: DaemonStart, stdio: ('ignore' | 'ipc' | number)[]): ChildProcess {
  return spawn(process.execPath, [join(start.root, 'bin', 'kycloned.js'), ...start.options], {
    stdio,
    detached: true,
    env: start.environment,
  });
}

/** Throws UsageError: the file may be one that the user named. */
function openLog(file: string): number {
  try {
    return openSync(file, 'w', 0o600);
  } catch (error) {
    throw new UsageError(
      `The log file cannot be written (${(error as NodeJS.ErrnoException).code ?? 'failed'})`,
    );
  }
}

function endOf(daemon: ChildProcess): Promise<number> {
  return new Promise((resolve) =>
    daemon
      .once('exit', (code, signal) => resolve(exitCode(code, signal)))
      .once('error', () => resolve(EXIT.failed)),
  );
}

function firstMessage(daemon: ChildProcess): Promise<ReadyMessage> {
  return new Promise((resolve, reject) => {
    daemon.once('error', (error) => reject(error));
    daemon.once('exit', (code, signal) =>
      reject(
        new CliError('The daemon ended before it was ready', {
          code: 'daemon_failed',
          exitCode: exitCode(code, signal) || EXIT.failed,
          hint: 'kyclone logs shows its last words',
        }),
      ),
    );
    daemon.once('message', (message: ReadyMessage | FailedMessage) => {
      if (message.type === 'ready') resolve(message);
      else reject(new CliError(message.message, { code: message.code, exitCode: message.exit_code }));
    });
  });
}

function exitCode(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? SIGNAL_EXIT_BASE + (signal === null ? 0 : constants.signals[signal]);
}
