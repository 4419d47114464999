/**
 * Measures how long a test waits for `kyclone/testing` in a process of its own, compared with the simplest possible
 * server.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { cleanEnvironment } from './processes.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const SCRIPT = `
import { createServer } from 'node:http';
import { DatabaseSync } from './test/bench/bare-sqlite.js';
const times = {};
async function timed(name, work) {
  const from = performance.now();
  const answer = await work();
  times[name] = performance.now() - from;
  return answer;
}
const bare = await timed('bare', () => new Promise((resolve) => {
  new DatabaseSync(':memory:').exec('CREATE TABLE things (id TEXT PRIMARY KEY)');
  const server = createServer(() => {}).listen(0, '127.0.0.1', () => resolve(server));
}));
bare.close();
const { startKyclone } = await timed('imported', () => import('./dist/testing.js'));
const one = await timed('ready', () => startKyclone());
const other = await timed('next', () => startKyclone());
await timed('closed', () => one.close());
await other.close();
process.stdout.write(JSON.stringify(times));
`;

type TestingTimes = Record<'bare' | 'imported' | 'ready' | 'next' | 'closed', number>;

/** Returns the milliseconds of each step in one process. */
export function timeTesting(): TestingTimes {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', SCRIPT], {
    cwd: ROOT,
    env: cleanEnvironment({}),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`kyclone/testing did not start: ${stderr}`);
  return JSON.parse(stdout) as TestingTimes;
}
