/** Starts the daemon inside this process: in memory, on a free port, and separate from the user's own instances. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { type Locator, instancePaths, type InstancePaths } from '../kernel/paths.ts';
import { ownPackage } from '../daemon/own-package.ts';
import { startDaemon, type Daemon } from '../daemon/start.ts';
import { beforeSignals } from '../kernel/processes.ts';
import { defined } from '../kernel/defined.ts';
import { makeTemporaryFolder } from '../kernel/temporary-folders.ts';
import { openDatabase } from '../storage/database.ts';
import type { Kyclone, StartOptions } from './api.ts';
import { KycloneError } from './errors.ts';
import { assemble, type Running } from './kyclone.ts';
import { checkedOptions, type CheckedOptions } from './options.ts';

// A folder for the few files of an instance in memory: its lock, log, keys and sealed uploads.

/** The real one: a runner whose tests have a context of their own has put a copy there, which never ends. */
const realProcess = runInThisContext('process') as NodeJS.Process;

interface PrivateFolder {
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
function privateFolder(): PrivateFolder {
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

warmUp();

const STOP_LIMIT_MS = 2_000;

/**
 * Starts an instance for a test. Several can run at once, even in one process. It reads no environment variables and
 * changes nothing in the process; until the last one is closed, a signal that ends the process removes their folders
 * first. Throws a `KycloneError`, or an `ApiError` for settings that the daemon refuses.
 */
export async function startKyclone(options: StartOptions = {}): Promise<Kyclone> {
  const checked = checkedOptions(options);
  const folder = folderFor();
  const { path } = folder;
  const bases = { data: join(path, 'data'), state: join(path, 'state'), config: join(path, 'config') };
  const paths = instancePaths(bases, 'default');
  let daemon: Daemon;
  try {
    daemon = await start(checked, paths);
  } catch (error) {
    folder.remove();
    throw refusal(error);
  }
  return await assemble(running(daemon, paths, folder), checked);
}

function folderFor(): PrivateFolder {
  try {
    return privateFolder();
  } catch (error) {
    throw refusal(error);
  }
}

/**
 * Loads the native module and prepares a store in advance, so that no test waits for it. Ignores errors: the start
 * reports them.
 */
function warmUp(): void {
  try {
    openDatabase(':memory:').close();
  } catch {
    return;
  }
}

async function start({ port = 0, seed, clockAt }: CheckedOptions, paths: InstancePaths): Promise<Daemon> {
  const daemon = await startDaemon({
    instance: 'default',
    ...ownPackage(),
    paths,
    port,
    isEphemeral: true,
    logFile: paths.logFile,
    settings: {},
    // A reader that a test has left behind must not delay the stop.
    limits: { drainLimitMs: STOP_LIMIT_MS },
    keySource: {
      keyFile: undefined,
      requireKeychain: false,
      environment: { key: undefined, passphrase: undefined },
      noKeychain: true,
    },
    ...defined({ seed, clockAt }),
  });
  daemon.unref();
  return daemon;
}

function running(daemon: Daemon, paths: InstancePaths, folder: PrivateFolder): Running {
  const { instance } = daemon;
  const { control_token: controlToken } = readJson(paths.locatorFile) as Locator;
  const keys = readJson(paths.credentialsFile) as { sandbox: string; live: string };
  return {
    port: instance.port,
    liveApiKey: keys.live,
    connection: { baseUrl: instance.url, apiKey: keys.sandbox, liveApiKey: keys.live, controlToken },
    async stop() {
      await daemon.stop();
      folder.remove();
    },
  };
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function refusal(error: unknown): Error {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: string };
  if (code === 'port_taken') {
    return new KycloneError('port_taken', `${message ?? ''}: omit option port to get a free one`, {
      cause: error,
    });
  }
  return new KycloneError('start_failed', `The instance could not start: ${message ?? 'unknown'}`, {
    cause: error,
  });
}
