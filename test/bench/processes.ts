import { fork, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

const root = join(import.meta.dirname, '../..');
export const DAEMON = join(root, 'bin/kycloned.js');
export const CLI = join(root, 'bin/kyclone.js');
const bare = (name: string) => join(import.meta.dirname, `${name}.js`);

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
  stop(): Promise<void>;
}

export function newHome(): string {
  return mkdtempSync(join(tmpdir(), 'kyclone-bench-'));
}

/**
 * Our daemon, durable, in a home of its own unless one is given, which then outlives it. Without `execArgv: []` it
 * would run under this script's loader.
 */
export async function startKyclone(given?: string, options: readonly string[] = []): Promise<Server> {
  const home = given ?? newHome();
  const child = fork(DAEMON, ['--port', '0', '--log-file', join(home, 'log'), ...options], {
    execArgv: [],
    env: cleanEnvironment({ KYCLONE_HOME: home }),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { url } = await firstMessage(child);
  const keys = JSON.parse(readFileSync(join(home, 'state/default/api-keys.json'), 'utf8')) as {
    sandbox: string;
  };
  const authorization = `Basic ${Buffer.from(`${keys.sandbox}:`).toString('base64')}`;
  const headers = { 'content-type': 'application/json', authorization };
  return server(child, { url, headers }, given === undefined ? home : undefined);
}

/** A bare program of this folder, in a home of its own. */
export async function startBare(
  name: 'baseline-server' | 'baseline-forwarder' | 'proxy-target',
): Promise<Server> {
  const home = newHome();
  const child = fork(bare(name), [home], { execArgv: [], env: cleanEnvironment() });
  const { url } = await firstMessage(child);
  return server(child, { url, headers: { 'content-type': 'application/json' } }, home);
}

function server(
  child: ChildProcess,
  parts: Pick<Server, 'url' | 'headers'>,
  ownHome: string | undefined,
): Server {
  return {
    ...parts,
    pid: child.pid ?? 0,
    async stop() {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await exited;
      if (ownHome !== undefined) rmSync(ownHome, { recursive: true, force: true });
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
  return statusMiB(pid, 'VmRSS');
}

/** How many MiB of resident memory a process takes at most while `work` runs, beyond what it has before. */
export async function growthMiB(pid: number, work: () => Promise<void>): Promise<number> {
  const before = residentMiB(pid);
  // The kernel keeps the peak itself, so none is missed between two looks; "5" resets it.
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  await work();
  return statusMiB(pid, 'VmHWM') - before;
}

function statusMiB(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const line = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
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
