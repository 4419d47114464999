/** Starts a real daemon, the built `bin/kycloned.js`, with a home of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './root.ts';
import { homesInUse, tempDir } from './temp-dir.ts';

export { ROOT };

export interface DaemonOptions {
  /** Options of kycloned. The helper adds `--ephemeral` and a free port where they are needed. */
  readonly options?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** A home that stays after the daemon has ended; by default a temporary one. */
  readonly home?: string;
  readonly isDurable?: boolean;
  /** The folder of the package; by default this one. */
  readonly root?: string;
}

export interface TestDaemon extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  readonly home: string;
  readonly apiKey: string;
  readonly liveApiKey: string;
  readonly controlToken: string;
  readonly notices: readonly string[];
  readonly process: ChildProcess;
  /** Ends the daemon with a signal. Returns its exit code, or the signal that ended it. */
  end(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

/** The error that a daemon reports when it refuses to start. */
export class StartRefused extends Error {
  readonly code: string;
  readonly exitCode: number;

  constructor(code: string, message: string, exitCode: number) {
    super(message);
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** The environment of child processes. It has no settings of the user's own kyclone, and none that slow Node down. */
export function cleanEnvironment(
  home: string,
  more: Readonly<Record<string, string | undefined>> = {},
): NodeJS.ProcessEnv {
  const { PATH, LANG, TMPDIR } = process.env;
  const ours = { HOME: home, KYCLONE_HOME: home, KYCLONE_NO_KEYCHAIN: '1', NODE_DISABLE_COMPILE_CACHE: '1' };
  return { PATH, LANG, TMPDIR, ...ours, ...more };
}

/** Starts an ephemeral daemon, or a durable one below `home`. Throws StartRefused when the daemon refuses to start. */
export async function startDaemon(start: DaemonOptions = {}): Promise<TestDaemon> {
  const folder = start.home === undefined ? tempDir() : undefined;
  const home = start.home ?? folder?.path ?? '';
  const options = [
    ...(start.isDurable === true ? [] : ['--ephemeral']),
    ...(start.options?.includes('--port') === true ? [] : ['--port', '0']),
    ...(start.options ?? []),
  ];
  const child = spawn(process.execPath, [join(start.root ?? ROOT, 'bin', 'kycloned.js'), ...options], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: cleanEnvironment(home, start.environment),
  });
  homesInUse.add(home);
  child.once('exit', () => homesInUse.delete(home));
  let lastWords = '';
  child.stderr
    ?.setEncoding('utf8')
    .on('data', (chunk: string) => (lastWords = (lastWords + chunk).slice(-4000)));
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const message = await Promise.race([
    once(child, 'message').then(([first]) => first as Record<string, unknown>),
    ended.then(([code]) => {
      throw new Error(`kycloned ended with ${String(code)} before it was ready: ${lastWords}`);
    }),
  ]);
  if (message['type'] !== 'ready') {
    await ended;
    folder?.[Symbol.dispose]();
    throw new StartRefused(String(message['code']), String(message['message']), Number(message['exit_code']));
  }
  const end = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    const [code, by] = await ended;
    return code ?? by ?? 0;
  };
  const state = join(home, 'state', String(message['instance']));
  const keys = JSON.parse(readFileSync(join(state, 'api-keys.json'), 'utf8')) as {
    sandbox: string;
    live: string;
  };
  const locator = JSON.parse(readFileSync(join(state, 'daemon.json'), 'utf8')) as { control_token: string };
  return {
    url: String(message['url']),
    pid: Number(message['pid']),
    home,
    apiKey: keys.sandbox,
    liveApiKey: keys.live,
    controlToken: locator.control_token,
    notices: message['notices'] as string[],
    process: child,
    end,
    async [Symbol.asyncDispose]() {
      await end('SIGKILL');
      folder?.[Symbol.dispose]();
    },
  };
}
