import { fork, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

const root = join(import.meta.dirname, '../..');
export const DAEMON = join(root, 'bin/kycloned.js');
export const CLI = join(root, 'bin/kyclone.js');
const BASELINE = join(import.meta.dirname, 'baseline-server.js');

/** The environment of every measured process: what this machine sets for Node would flatter or burden a side. */
export function cleanEnvironment(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = { ...process.env, KYCLONE_NO_KEYCHAIN: '1', ...extra };
  delete environment.NODE_OPTIONS;
  delete environment.NODE_EXTRA_CA_CERTS;
  return environment;
}

export interface Server {
  readonly url: string;
  readonly pid: number;
  readonly headers: Record<string, string>;
  readonly home: string;
  stop(): Promise<void>;
}

/** Our daemon, durable, in a folder of its own. Without `execArgv: []` it would run under this script's loader. */
export async function startKyclone(): Promise<Server> {
  const home = mkdtempSync(join(tmpdir(), 'kyclone-bench-'));
  const child = fork(DAEMON, ['--port', '0', '--log-file', join(home, 'log')], {
    execArgv: [],
    env: cleanEnvironment({ KYCLONE_HOME: home }),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { url } = await firstMessage(child);
  const keys = JSON.parse(readFileSync(join(home, 'state/default/api-keys.json'), 'utf8')) as {
    sandbox: string;
  };
  const authorization = `Basic ${Buffer.from(`${keys.sandbox}:`).toString('base64')}`;
  return server(child, { url, home, headers: { 'content-type': 'application/json', authorization } });
}

export async function startBaseline(): Promise<Server> {
  const home = mkdtempSync(join(tmpdir(), 'kyclone-bench-'));
  const child = fork(BASELINE, [home], { execArgv: [], env: cleanEnvironment() });
  const { url } = await firstMessage(child);
  return server(child, { url, home, headers: { 'content-type': 'application/json' } });
}

function server(child: ChildProcess, parts: Omit<Server, 'pid' | 'stop'>): Server {
  return {
    ...parts,
    pid: child.pid ?? 0,
    async stop() {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await exited;
      rmSync(parts.home, { recursive: true, force: true });
    },
  };
}

function firstMessage(child: ChildProcess): Promise<{ url: string }> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as { url: string }));
    child.once('exit', (code) => reject(new Error(`a measured server ended with ${code ?? 'a signal'}`)));
  });
}

/** Resident memory in MiB, by the kernel. */
export function residentMiB(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1]) / 1024;
}

/** Milliseconds of a whole run of `node …`. Throws when it fails. */
export function timeRun(args: readonly string[], env: NodeJS.ProcessEnv): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status ?? 'a signal'}: ${stderr}`);
  return performance.now() - start;
}

/** Milliseconds from starting the daemon's process until it says that it is ready. */
export async function timeReady(home: string, options: readonly string[]): Promise<number> {
  const start = performance.now();
  const child = spawn(
    process.execPath,
    [DAEMON, '--port', '0', '--log-file', join(home, 'log'), ...options],
    {
      env: cleanEnvironment({ KYCLONE_HOME: home }),
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  );
  await firstMessage(child);
  const elapsed = performance.now() - start;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exited;
  return elapsed;
}
