/**
 * A daemon was killed, its locator is still there, and another program has its port. Whatever command runs then, and
 * whatever that program responds, it receives only requests for a proof.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runInProcess } from '../support/cli-in-process.ts';
import { writeExampleFiles } from '../support/example-world.ts';
import { tempDir } from '../support/temp-dir.ts';
import '../support/tier-all.ts';
import { callOf, commands, ids as allIds, shellWords } from './matrix-world.ts';

/** These commands aren't run here: they start an instance of their own, or serve until they are stopped. */
const OTHERS: ReadonlySet<string> = new Set([
  'start',
  'restart',
  'exec',
  'demo',
  'partner:echo',
  'proxy:echo',
]);
const ids = allIds.filter((id) => !OTHERS.has(id));

const API_KEY = `sk_test_${'k'.repeat(32)}`;
const CONTROL_TOKEN = 'c'.repeat(43);
/** `env` and `docs` ask without a key whether a daemon is at an address for which they know no secret. */
const HEALTH = /GET \/_kyclone\/health HTTP\/1\.1\r\n(?:(?:accept|host|connection): [^\r]*\r\n)+\r\n/gi;
/** Where no credential is known, readiness is asked for without one too. */
const READINESS = /GET \/_kyclone\/ready HTTP\/1\.1\r\n(?:(?:accept|host|connection): [^\r]*\r\n)+\r\n/gi;
const ASKS_FOR_PROOF =
  /^(?:GET \/_kyclone\/health\?challenge=[\w-]{43}(?:&key=[\w-]{22})? HTTP\/1\.1\r\nhost: 127\.0\.0\.1:\d+\r\naccept: application\/json\r\n\r\n)*$/;

const home = tempDir();
let heard = '';
const impostor = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    heard += chunk.toString('latin1');
    const body = `{"status":"ok","nonce":"the nonce","pid":${process.pid},"instance":"default","proof":"${'A'.repeat(43)}"}`;
    socket.write(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  });
});
let url = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => impostor.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(impostor.address() as AddressInfo).port}`;
  const state = join(home.path, 'state', 'default');
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const locator = {
    pid: 2 ** 22 + 1,
    url,
    control_token: CONTROL_TOKEN,
    nonce: 'the nonce',
    version: '0.1.0',
    started_at: '2026-01-31T12:00:00.000Z',
  };
  for (const [name, content] of [
    ['daemon.json', locator],
    ['api-keys.json', { sandbox: API_KEY, live: API_KEY.replace('test', 'live') }],
  ] as const) {
    writeFileSync(join(state, name), JSON.stringify(content));
    chmodSync(join(state, name), 0o600);
  }
  writeExampleFiles(home.path, '');
});
afterAll(() => {
  impostor.close();
  home[Symbol.dispose]();
});

function wordsOf(id: string): string[] {
  const call = callOf(id) ?? `kyclone ${id.replaceAll(':', ' ')}`;
  const words = shellWords(call, { TOKEN: 'obtok_1', VALIDATION: 'vtok_1' }).slice(1);
  if (commands[id]?.flags['yes'] !== undefined && !words.includes('--yes')) words.push('--yes');
  return id === 'wait' ? ['wait', '--timeout', '0'] : words;
}

const SHELLS = [
  ['a locator that a killed daemon left', () => ({})],
  [
    'an address, a key and a control token in the environment',
    () => ({ KYCLONE_BASE_URL: url, KYCLONE_API_KEY: API_KEY, KYCLONE_CONTROL_TOKEN: CONTROL_TOKEN }),
  ],
  ['an address and a key in the environment', () => ({ KYCLONE_BASE_URL: url, KYCLONE_API_KEY: API_KEY })],
  ['an address in the environment', () => ({ KYCLONE_BASE_URL: url })],
] as const;

test.each(ids)('%s: a program on the port of a killed daemon hears no secret and no data', async (id) => {
  const argv = wordsOf(id);
  expect(argv[0], id).toBe(id.split(':')[0]);
  for (const [name, variables] of SHELLS) {
    heard = '';
    const outcome = await runInProcess([...argv, '--json'], { home: home.path, environment: variables() });
    const open = id === 'wait' ? READINESS : id === 'env' || id === 'docs' ? HEALTH : undefined;
    const more = open === undefined ? heard : heard.replace(open, '');
    expect(more, `${name}: ${JSON.stringify(outcome)}`).toMatch(ASKS_FOR_PROOF);
  }
});

test('a fresh program on the port is asked: the test would hear what is sent', async () => {
  heard = '';
  await runInProcess(['users', 'list'], { home: home.path, environment: SHELLS[1][1]() });
  expect(heard).toContain('challenge=');
});
