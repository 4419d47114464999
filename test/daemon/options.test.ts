import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { refusedStart, startKycloned, tempDir, type Kycloned } from '../support/kycloned.ts';
import '../support/tier-all.ts';
import { spawnDaemon } from '../support/daemon.ts';

const A_SANDBOX_KEY = 'sk_test_0123456789abcdefghijABCDEFGHIJ';
const A_LIVE_KEY = 'sk_live_0123456789abcdefghijABCDEFGHIJ';
const A_SECRET = 'sk_test_ThisStandsInTheWrongPlace1';

function fileWith(text: string): string {
  const path = join(tempDir(), 'keys.txt');
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

test.each([
  ['an unknown option', [`--secret=${A_SECRET}`]],
  ['an option that is no option', [`--${A_SECRET}`]],
  ['a short option', [`-${A_SECRET}`]],
  ['an argument', [A_SECRET]],
  ['a port that is none', ['--port', A_SECRET]],
  ['a port that is too high', ['--port', '65536']],
  ['an instance that is none', ['--instance', A_SECRET]],
  ['an option without its value', ['--key-file']],
  ['a setting without a value', ['--set', 'egress.policy']],
  ['a setting that is unknown', ['--set', `egress.nothing=${A_SECRET}`]],
  ['a setting of a wrong value', ['--set', `egress.policy=${A_SECRET}`]],
  ['a setting too deep', ['--set', `a.b.c=${A_SECRET}`]],
  ['another address without --allow-remote', ['--host', '0.0.0.0']],
])('options: %s exits with 2 and echoes no value', async (_what, options) => {
  const { code, stderr, announced } = await refusedStart({ options });
  expect(code).toBe(2);
  const printed = `${stderr}${announced?.message ?? ''}`;
  expect(printed).not.toContain('ThisStandsInTheWrongPlace');
  expect(printed).not.toBe('');
});

test('options: a bad KYCLONE_INSTANCE exits with 2 and describes a valid name', async () => {
  // `launch` would set --instance.
  const environment = { KYCLONE_INSTANCE: 'Not a name' };
  const { ended } = spawnDaemon(['--ephemeral', '--port', '0'], { home: tempDir(), environment });
  const { code, stderr } = await ended;
  expect(code).toBe(2);
  expect(stderr).toContain('An instance name is');
  expect(stderr).not.toContain('    at ');
});

test('options: --allow-remote serves another address and warns', async () => {
  const daemon = await startKycloned({ options: ['--ephemeral', '--host', '0.0.0.0', '--allow-remote'] });
  expect(daemon.notices.join(' ')).toContain('Other machines');
});

test('options: --host with a loopback name is the default', async () => {
  const daemon = await startKycloned({ options: ['--ephemeral', '--host', 'localhost'] });
  expect(daemon.notices).toEqual([]);
  expect(daemon.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
});

test('--api-key-file: its keys are the keys, in the file order that comes', async () => {
  const path = fileWith(`# mine\n\n${A_LIVE_KEY}\r\n  ${A_SANDBOX_KEY}  \n`);
  const daemon = await startKycloned({ options: ['--ephemeral', '--api-key-file', path] });
  expect(daemon.keys).toEqual({ sandbox: A_SANDBOX_KEY, live: A_LIVE_KEY });
  expect((await daemon.call('GET', '/users')).status).toBe(200);
  expect((await daemon.call('GET', '/users', { live: true })).status).toBe(200);
});

test('--api-key-file: a key for one environment leaves a new one for the other', async () => {
  const path = fileWith(A_SANDBOX_KEY);
  const daemon = await startKycloned({ options: ['--ephemeral', '--api-key-file', path] });
  expect(daemon.keys.sandbox).toBe(A_SANDBOX_KEY);
  expect(daemon.keys.live).toMatch(/^sk_live_[0-9A-Za-z]{32}$/);
});

test.each([
  ['no key', '# nothing\n'],
  ['something else', `${A_SANDBOX_KEY}\nsk_test_short\n`],
  ['two of one environment', `${A_SANDBOX_KEY}\n${A_SANDBOX_KEY}x\n`],
  ['trailing words', `${A_SANDBOX_KEY} for me\n`],
])('--api-key-file: a file with %s is refused without being shown', async (_what, text) => {
  const path = fileWith(text);
  const { code, announced } = await refusedStart({ options: ['--ephemeral', '--api-key-file', path] });
  expect({ code, ...announced }).toMatchObject({ code: 'key_file_refused', exit_code: 4 });
  expect(announced?.message).toContain(path);
  expect(announced?.message).not.toContain('0123456789');
});

test.each<[what: string, make: (path: string) => string, why: string]>([
  [
    'that others may read',
    (path) => (chmodSync(path, 0o640), path),
    'FILE is open to other users (mode 0640)',
  ],
  ['that is not there', (path) => `${path}.no`, 'There is no API key file FILE'],
])('--api-key-file: a file %s is refused, as a key file of the vault is', async (_what, make, why) => {
  const path = make(fileWith(A_SANDBOX_KEY));
  const { code, announced } = await refusedStart({ options: ['--ephemeral', '--api-key-file', path] });
  expect({ code, ...announced }).toMatchObject({ code: 'key_file_refused', exit_code: 4 });
  expect(announced?.message).toContain(why.replace('FILE', path));
});

test('--set: the settings are in force, lists by comma or as JSON', async () => {
  const settings = [
    'egress.policy=strict',
    'hosts=one.test, two.test',
    'cors.origins=["https://app.test"]',
    'events.extended=true',
    'vocabulary.secret_key_header=x-my-key',
  ];
  const options = settings.flatMap((setting) => ['--set', setting]);
  const daemon = await startKycloned({ options: ['--ephemeral', ...options] });
  expect((await daemon.control('GET', '/_kyclone/settings')).body).toMatchObject({
    egress: { policy: 'strict' },
    hosts: ['one.test', 'two.test'],
    cors: { origins: ['https://app.test'] },
    events: { extended: true },
  });
  const headers = { 'x-my-key': daemon.keys.sandbox, 'x-service-secret-key': '' };
  expect((await daemon.call('GET', '/users', { headers })).status).toBe(200);
});

/** Creates two users and a business and returns their ids. With `isBusy` it sends other requests in between. */
async function idsOf(daemon: Kycloned, { isBusy }: { isBusy: boolean }): Promise<unknown[]> {
  const ids: unknown[] = [];
  for (const path of ['/users', '/businesses', '/users']) {
    if (isBusy) await daemon.control('GET', '/_kyclone/info');
    const { body } = await daemon.call('POST', path);
    ids.push(body['id'], body['sandbox_id']);
  }
  return ids;
}

test('--seed: the same seed gives the same ids, whatever else is asked, another seed others', async () => {
  const start = (seed: string) => startKycloned({ options: ['--ephemeral', '--seed', seed] });
  const [one, again, other] = await Promise.all([start('spring'), start('spring'), start('autumn')]);
  const ids = await idsOf(one, { isBusy: false });
  expect(await idsOf(again, { isBusy: true })).toEqual(ids);
  expect(await idsOf(other, { isBusy: false })).not.toEqual(ids);
  expect(again.keys).not.toEqual(one.keys);
});

test('--seed: a store that is opened again with its seed takes new entities and API keys', async () => {
  const options = ['--seed', 'spring'];
  const first = await startKycloned({ options });
  expect((await first.call('POST', '/users')).status).toBe(200);
  await first.stop();
  for (let round = 0; round < 3; round++) {
    const next = await startKycloned({ home: first.home, options });
    const made = [await next.call('POST', '/users'), await next.call('POST', '/users')];
    made.push(await next.control('POST', '/_kyclone/api-keys', { body: { name: 'another' } }));
    expect(made.map(({ status }) => status)).toEqual([200, 200, 200]);
    await next.stop();
  }
});
