import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

const root = join(import.meta.dirname, '../..');
export const DAEMON = join(root, 'bin/kycloned.js');
export const CLI = join(root, 'bin/kyclone.js');
const bare = (name: string) => join(import.meta.dirname, `${name}.js`);

/** Returns the environment of every measured process. Node settings of this machine would favour or burden one side. */
export function cleanEnvironment(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = { ...process.env, KYCLONE_NO_KEYCHAIN: '1', ...extra };
  delete environment.NODE_OPTIONS;
  delete environment.NODE_EXTRA_CA_CERTS;
  return environment;
}

export interface Server extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  readonly headers: Record<string, string>;
  stop(): Promise<void>;
}

export function newHome(): string {
  return mkdtempSync(join(tmpdir(), 'kyclone-bench-'));
}

/** Makes a home that is removed at the end of its block. */
export function aHome(): Disposable & { readonly path: string } {
  const path = newHome();
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Starts our daemon and waits until it is ready. Without `execArgv: []` it would run with this script's loader. */
async function launch(home: string, options: readonly string[]) {
  const child = fork(DAEMON, ['--port', '0', '--log-file', join(home, 'log'), ...options], {
    execArgv: [],
    env: cleanEnvironment({ KYCLONE_HOME: home }),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return { child, ...(await firstMessage(child)) };
}

/** Starts our daemon, durable. A given home stays afterwards, and otherwise the daemon has a home of its own. */
export async function startKyclone(given?: string, options: readonly string[] = []): Promise<Server> {
  const home = given ?? newHome();
  const { child, url } = await launch(home, options);
  const keys = JSON.parse(readFileSync(join(home, 'state/default/api-keys.json'), 'utf8')) as {
    sandbox: string;
  };
  const authorization = `Basic ${Buffer.from(`${keys.sandbox}:`).toString('base64')}`;
  const headers = { 'content-type': 'application/json', authorization };
  return server(child, { url, headers }, given === undefined ? home : undefined);
}

/** Starts a bare program of this folder with a home of its own. */
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
  const end = async () => {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await exited;
    if (ownHome !== undefined) rmSync(ownHome, { recursive: true, force: true });
  };
  let ended: Promise<void> | undefined;
  const stop = () => (ended ??= end());
  return { ...parts, pid: child.pid ?? 0, stop, [Symbol.asyncDispose]: stop };
}

function firstMessage(child: ChildProcess): Promise<{ url: string }> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as { url: string }));
    child.once('exit', (code) => reject(new Error(`a measured server ended with ${code ?? 'a signal'}`)));
  });
}

/** Returns the resident memory in MiB, as the kernel counts it. */
export function residentMiB(pid: number): number {
  return statusMiB(pid, 'VmRSS');
}

/** Returns the resident memory in MiB, in which a page that several processes share counts for each in part. */
export function proportionalMiB(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1]) / 1024;
}

/** Returns by how many MiB the resident memory of a process grows at most while `work` runs. */
export async function growthMiB(pid: number, work: () => Promise<void>): Promise<number> {
  const before = residentMiB(pid);
  // The kernel keeps the peak, so polling can't miss it. Writing "5" resets the peak.
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  await work();
  return statusMiB(pid, 'VmHWM') - before;
}

function statusMiB(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const line = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1]) / 1024;
}

/** Returns the milliseconds of a whole run of `node …`. Throws when the run fails. */
export function timeRun(args: readonly string[], env: NodeJS.ProcessEnv): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status ?? 'a signal'}: ${stderr}`);
  return performance.now() - start;
}

/** Returns the milliseconds from starting the daemon's process until it reports that it is ready. */
export async function timeReady(home: string, options: readonly string[]): Promise<number> {
  const start = performance.now();
  const { child, url } = await launch(home, options);
  const elapsed = performance.now() - start;
  await server(child, { url, headers: {} }, undefined).stop();
  return elapsed;
}
