/** Starts the daemon inside this process: in memory, on a free port, and separate from the user's own instances. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from '../contract/locator.ts';
import { ownPackage } from '../daemon/own-package.ts';
import { startDaemon, type Daemon } from '../daemon/start.ts';
import { instancePaths, type InstancePaths } from '../kernel/paths.ts';
import { openDatabase } from '../storage/database.ts';
import type { Kyclone, StartOptions } from './api.ts';
import { KycloneError } from './errors.ts';
import { privateFolder, type PrivateFolder } from './folders.ts';
import { assemble, type Running } from './kyclone.ts';
import { checkedOptions, type CheckedOptions } from './options.ts';
import { defined } from '../kernel/defined.ts';

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
