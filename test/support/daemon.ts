/** Starts a real daemon, the built `bin/kycloned.js`, with a home of its own. */
import { spawn } from 'node:child_process';
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

export type TestDaemon = Awaited<ReturnType<typeof startDaemon>>;

/** The daemon's one message on its channel to the parent. */
export interface Announcement {
  readonly type: string;
  readonly url?: string;
  readonly pid?: number;
  readonly instance?: string;
  readonly code?: string;
  readonly message?: string;
  readonly hint?: string;
  readonly exit_code?: number;
  readonly notices?: readonly string[];
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
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

interface Spawning extends Pick<DaemonOptions, 'environment' | 'root'> {
  readonly home: string;
  /** A program that runs the daemon as the same process, such as `strace -D …` or `faketime …`. */
  readonly under?: readonly string[] | undefined;
}

/** Starts `kycloned`, which somebody else ends. */
export function spawnDaemon(
  argv: readonly string[],
  { home, environment, root = ROOT, under = [] }: Spawning,
) {
  const words = [...under, process.execPath, join(root, 'bin', 'kycloned.js'), ...argv];
  const child = spawn(words[0] ?? '', words.slice(1), {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: cleanEnvironment(home, environment),
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal, stderr })),
  );
  const announced = new Promise<Announcement | undefined>((resolve) => {
    child.once('message', (message) => resolve(message as Announcement));
    void ended.then(() => resolve(undefined));
  });
  return {
    process: child,
    /** The daemon's message, or undefined when the daemon ended without one. */
    announced,
    ended,
    /** Returns what the daemon has written to stderr. Without --log-file this includes the log. */
    stderr: () => stderr,
  };
}

/** Starts an ephemeral daemon, or a durable one below `home`. Throws when the daemon refuses to start. */
export async function startDaemon(start: DaemonOptions = {}) {
  const folder = start.home === undefined ? tempDir() : undefined;
  const home = start.home ?? folder?.path ?? '';
  const options = [
    ...(start.isDurable === true ? [] : ['--ephemeral']),
    ...(start.options?.includes('--port') === true ? [] : ['--port', '0']),
    ...(start.options ?? []),
  ];
  const { process: child, announced, ended } = spawnDaemon(options, { ...start, home });
  homesInUse.add(home);
  child.once('exit', () => homesInUse.delete(home));
  const message = await announced;
  if (message?.type !== 'ready') {
    const { code, stderr } = await ended;
    folder?.[Symbol.dispose]();
    throw new Error(message?.message ?? `kycloned ended with ${code} before it was ready: ${stderr}`);
  }
  /** Ends the daemon with a signal. Returns its exit code, or the signal that ended it. */
  const end = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    const { code, signal: by } = await ended;
    return code ?? by ?? 0;
  };
  const state = join(home, 'state', String(message.instance));
  const keys = JSON.parse(readFileSync(join(state, 'api-keys.json'), 'utf8')) as {
    sandbox: string;
    live: string;
  };
  const locator = JSON.parse(readFileSync(join(state, 'daemon.json'), 'utf8')) as { control_token: string };
  return {
    url: String(message.url),
    pid: Number(message.pid),
    home,
    apiKey: keys.sandbox,
    liveApiKey: keys.live,
    controlToken: locator.control_token,
    notices: message.notices ?? [],
    process: child,
    end,
    async [Symbol.asyncDispose](): Promise<void> {
      await end('SIGKILL');
      folder?.[Symbol.dispose]();
    },
  };
}
