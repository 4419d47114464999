/**
 * The real daemon: `bin/kycloned.js` as a child process, in a home of its own, with the key in a file and without a
 * keychain. The end of the test ends all its processes and removes its files.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { instancePaths, pathBases, type InstancePaths, type Locator } from '../../src/kernel/files/paths.ts';
import { ROOT, spawnDaemon, type Announcement, type Ended } from './daemon.ts';
import { exchange, type CallOptions } from './exchange.ts';
import { whenFinished } from './finishing.ts';
import { tempPath as tempDir } from './temp-dir.ts';

export { exchange, type CallOptions, type Response } from './exchange.ts';
export { until } from './patience.ts';
export { tempDir };

const BUNDLE = join(ROOT, 'dist', 'daemon.cjs');

export interface Setting {
  /** KYCLONE_HOME; by default a new folder. */
  readonly home?: string;
  readonly instance?: string;
  readonly options?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly port?: number;
  /** A program that runs the daemon as the same process, such as `strace -D …` or `faketime …`. */
  readonly under?: readonly string[];
}

export function pathsOf(home: string, instance = 'default'): InstancePaths {
  return instancePaths(pathBases({ KYCLONE_HOME: home }, process.platform, home), instance);
}

/** Starts `kycloned`. The test may stop it, and the end of the test kills it. */
export function launch(setting: Setting = {}) {
  if (!existsSync(BUNDLE)) throw new Error(`${BUNDLE} is missing: run npm run build (npm ci does)`);
  const home = setting.home ?? tempDir();
  const { instance = 'default', port = 0, options = [] } = setting;
  const argv = ['--instance', instance, '--port', String(port), ...options];
  const daemon = spawnDaemon(argv, { home, environment: setting.environment ?? {}, under: setting.under });
  whenFinished(async () => {
    daemon.process.kill('SIGKILL');
    await daemon.ended;
  });
  return { ...daemon, home, paths: pathsOf(home, instance) };
}

/** Starts a daemon that must refuse to start. Returns its exit and its message. */
export async function refusedStart(
  setting: Setting,
): Promise<Ended & { announced: Announcement | undefined }> {
  const launched = launch(setting);
  const announced = await launched.announced;
  if (announced?.type === 'ready') throw new Error('the daemon started, though it should have refused');
  return { ...(await launched.ended), announced };
}

export type Kycloned = Awaited<ReturnType<typeof startKycloned>>;

/** Starts `kycloned` and waits until it is ready. */
export async function startKycloned(setting: Setting = {}) {
  const launched = launch(setting);
  const announced = await launched.announced;
  if (announced?.type !== 'ready' || announced.url === undefined) {
    throw new Error(`the daemon did not start: ${announced?.message ?? (await launched.ended).stderr}`);
  }
  const { url } = announced;
  const locator = JSON.parse(readFileSync(launched.paths.locatorFile, 'utf8')) as Locator;
  const keys = JSON.parse(readFileSync(launched.paths.credentialsFile, 'utf8')) as {
    sandbox: string;
    live: string;
  };
  return {
    ...launched,
    url,
    notices: announced.notices ?? [],
    locator,
    keys,
    /** Makes a call with the local user's sandbox key. */
    call: (method: string, path: string, options: CallOptions = {}) =>
      exchange(`${url}${path}`, method, {
        ...options,
        headers: {
          'x-service-secret-key': options.live === true ? keys.live : keys.sandbox,
          ...options.headers,
        },
      }),
    /** Makes a call with the control token. */
    control: (method: string, path: string, options: CallOptions = {}) =>
      exchange(`${url}${path}`, method, {
        ...options,
        headers: { authorization: `Bearer ${locator.control_token}`, ...options.headers },
      }),
    /** Ends the daemon with a signal and waits until it has ended. */
    stop: (signal: NodeJS.Signals = 'SIGTERM') => {
      launched.process.kill(signal);
      return launched.ended;
    },
  };
}
