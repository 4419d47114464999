import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLog } from '../../src/daemon/log.ts';
import { frozenClock } from '../support/frozen-clock.ts';
import { exchange, startKycloned, tempDir, until } from '../support/kycloned.ts';
import { words } from '../support/words.ts';

const NOON = Date.UTC(2026, 0, 31, 12);
const MIB = 1024 * 1024;

function aLog(folder = tempDir()) {
  const path = join(folder, 'daemon.log');
  const log = openLog(path, frozenClock(NOON));
  const lines = () =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { path, log, lines, folder };
}

/** A line of about one kibibyte. */
const LONG = { level: 'info', message: 'm'.repeat(980) };

test('write: a line is one JSON object with its time', () => {
  const { log, lines } = aLog();
  log.write({ level: 'info', event: 'started', status: 200, ms: 1.5, message: 'one\n{"two":2}' });
  log.close();
  expect(lines()).toEqual([
    {
      at: '2026-01-31T12:00:00.000Z',
      level: 'info',
      event: 'started',
      status: 200,
      ms: 1.5,
      message: 'one\n{"two":2}',
    },
  ]);
});

test('write: drops fields that are not on the list, and empty ones', () => {
  const { log, lines } = aLog();
  const careless = {
    event: 'request',
    body: 'Jane',
    reason: 'why',
    query: 'q',
    authorization: 'x',
    code: null,
  };
  log.write(careless);
  log.close();
  expect(lines()).toEqual([{ at: '2026-01-31T12:00:00.000Z', event: 'request' }]);
});

test('write: appends to the file without a close', async () => {
  const folder = tempDir();
  writeFileSync(join(folder, 'daemon.log'), '{"event":"before"}\n');
  const { log, lines } = aLog(folder);
  log.write({ event: 'after' });
  await until('it is written', () => lines().length === 2);
  expect(lines().map(({ event }) => event)).toEqual(['before', 'after']);
  log.close();
});

test('write: at 10 MiB the file is turned over, no line is lost, and one old file is kept', () => {
  const { log, path, folder } = aLog();
  const written = 25 * 1024;
  for (let index = 0; index < written; index++) log.write({ ...LONG, request_id: `req_${index}` });
  log.close();
  expect(readdirSync(folder).sort()).toEqual(['daemon.log', 'daemon.log.1']);
  expect(statSync(`${path}.1`).size).toBeGreaterThan(10 * MIB);
  expect(statSync(`${path}.1`).size).toBeLessThan(11 * MIB);
  expect(statSync(path).size).toBeLessThan(11 * MIB);
  const numbers = [`${path}.1`, path].flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/"request_id":"req_(\d+)"/g)].map(([, number]) => Number(number)),
  );
  const first = numbers[0] ?? 0;
  expect(numbers).toEqual(Array.from({ length: written - first }, (_, index) => first + index));
});

test('write: a file that was long already is turned over at once', () => {
  const folder = tempDir();
  writeFileSync(join(folder, 'daemon.log'), `${'x'.repeat(10 * MIB)}\n`);
  const { log, lines, path } = aLog(folder);
  log.write({ event: 'first' });
  log.close();
  expect(statSync(`${path}.1`).size).toBeGreaterThan(10 * MIB);
  expect(lines()).toEqual([]);
});

test('write: a log without its folder stops nothing, even at rotation', () => {
  const folder = tempDir();
  const inner = join(folder, 'state');
  renameSync(tempDir(), inner);
  const { log } = aLog(inner);
  renameSync(inner, join(folder, 'gone'));
  for (let index = 0; index < 11 * 1024; index++) log.write(LONG);
  log.close();
  expect(statSync(join(folder, 'gone', 'daemon.log')).size).toBeGreaterThan(10 * MIB);
});

const ALLOWED = words`
  at level event request_id method route status code ms key_id failure url version instance storage message
`;

test('daemon: logs start, requests and stop, and of a request nothing but the listed fields', async () => {
  const home = tempDir();
  const path = join(home, 'daemon.log');
  const daemon = await startKycloned({ home, options: ['--log-file', path] });
  const secret = 'Zyxwvcanary';
  const { body } = await daemon.call('POST', '/users', { body: { 'id.first_name': secret } });
  const decrypt = { fields: ['id.first_name'], reason: `because ${secret}` };
  await daemon.call('POST', `/users/${body['id'] as string}/vault/decrypt?${secret}=1`, { body: decrypt });
  await daemon.call('GET', `/users/fp_id_${secret}?q=${secret}`);
  await daemon.call('PATCH', `/users/${body['id'] as string}/vault`, { body: { 'id.dob': secret } });
  await exchange(`${daemon.url}/${secret}`, 'GET');
  await daemon.stop();
  const text = readFileSync(path, 'utf8');
  for (const forbidden of [secret, daemon.keys.sandbox, daemon.keys.live, daemon.locator.control_token]) {
    expect(text).not.toContain(forbidden);
  }
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  for (const line of lines) for (const field of Object.keys(line)) expect(ALLOWED).toContain(field);
  expect(
    lines.map(({ event, method, route, status, code }) => ({ event, method, route, status, code })),
  ).toEqual([
    { event: 'started' },
    { method: 'POST', route: '/users', status: 200 },
    { method: 'POST', route: '/users/{fp_id}/vault/decrypt', status: 200 },
    { method: 'GET', route: '/users/{fp_id}', status: 404, code: 'not_found' },
    { method: 'PATCH', route: '/users/{fp_id}/vault', status: 400, code: 'T120' },
    { method: 'GET', status: 404, code: 'not_found' },
    { event: 'stopped' },
  ]);
});
