/** Snapshots of the real daemon: under load over real sockets, and carried from run to run. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { refusedStart, startKycloned, tempDir, until } from '../support/kycloned.ts';
import { startTarget } from '../support/targets.ts';
import { idOf, load, nameOf, save } from './snapshot-calls.ts';
import '../support/tier-all.ts';

test('load: requests that come meanwhile wait, and none is lost', async () => {
  const daemon = await startKycloned({ options: ['--ephemeral'] });
  const id = await idOf(daemon);
  await save(daemon);
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  let isDone = false;
  const statuses: number[] = [];
  const ask = async (alone: boolean) => {
    while (!isDone) {
      const answered = await daemon.call('GET', `/users/${id}`, alone ? {} : { agent });
      statuses.push(answered.status);
      const made = await daemon.call('POST', '/users', {
        body: { 'id.first_name': 'Piper' },
        ...(!alone && { agent }),
      });
      statuses.push(made.status);
    }
  };
  const clients = [1, 2, 3, 4, 5, 6].map((each) => ask(each > 4));
  for (let times = 0; times < 3; times++) expect((await load(daemon)).status).toBe(200);
  isDone = true;
  await Promise.all(clients);
  agent.destroy();
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  expect(statuses.length).toBeGreaterThan(10);
});

test('load: the stream continues', async () => {
  const daemon = await startKycloned({ options: ['--ephemeral'] });
  await save(daemon);
  const headers = { authorization: `Bearer ${daemon.locator.control_token}` };
  const reply = await fetch(`${daemon.url}/_kyclone/stream?types=request`, { headers });
  const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
  await load(daemon);
  await idOf(daemon);
  let received = '';
  while (!received.includes('"/users"')) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done) break;
    received += value;
  }
  expect(received).toContain('"/users"');
  await reader?.cancel();
});

test('--export-on-exit: the next run starts with the state of the last, in another vault too', async () => {
  const home = tempDir();
  const file = join(home, 'state.kysnap');
  const options = ['--ephemeral', `--import=${file}`, '--export-on-exit'];
  const first = await startKycloned({ home, options });
  expect(first.notices.join(' ')).toContain('the instance starts empty');
  const id = await idOf(first);
  expect((await first.stop('SIGTERM')).code).toBe(0);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file).includes('Canary-71')).toBe(false);

  const second = await startKycloned({ home, options });
  expect(await nameOf(second, id)).toBe('Canary-71');
  const later = await idOf(second, 'Canary-72');
  await second.stop('SIGINT');

  const durable = await startKycloned({ home, instance: 'kept', options: ['--import', file] });
  expect([await nameOf(durable, id), await nameOf(durable, later)]).toEqual(['Canary-71', 'Canary-72']);
  await durable.stop();

  const again = await refusedStart({ home, instance: 'kept', options: ['--import', file] });
  expect(again.code).toBe(8);
  expect(again.announced?.message).toContain('kyclone snapshot load');
  expect(readdirSync(home).filter((name) => name.endsWith('.part'))).toEqual([]);
});

test('--import: a file that is missing, damaged or of another key is refused', async () => {
  const home = tempDir();
  const file = join(home, 'state.kysnap');
  const options = ['--ephemeral', '--import', file];
  const missing = await refusedStart({ home, options });
  expect(missing.announced?.message).toContain('--import names a file that is not there');
  expect(missing.stderr).not.toContain('    at ');

  const environment = { KYCLONE_SNAPSHOT_KEY: '5'.repeat(64) };
  const exporting = ['--ephemeral', '--export-on-exit', file];
  const daemon = await startKycloned({ home, environment, options: exporting });
  await idOf(daemon);
  await daemon.stop();
  const other = { KYCLONE_SNAPSHOT_KEY: '6'.repeat(64) };
  const wrong = await refusedStart({ home, environment: other, options });
  expect(wrong.code).toBe(4);
  expect(wrong.announced?.message).toContain('KYCLONE_SNAPSHOT_KEY does not open');
  expect(wrong.announced?.message).not.toContain('666666');

  truncateSync(file, 20_000);
  expect((await refusedStart({ home, environment, options })).announced?.message).toContain('damaged');
  writeFileSync(file, 'no snapshot');
  const none = await refusedStart({ home, options: ['--import', file] });
  expect(none.announced?.message).toContain('no snapshot');
});

test('--export-on-exit: one that fails is reported, and everything else is stopped', async () => {
  const home = tempDir();
  const file = join(home, 'nowhere', 'state.kysnap');
  const daemon = await startKycloned({ home, options: ['--export-on-exit', file] });
  const id = await idOf(daemon);
  const ended = await daemon.stop();
  expect(ended.code).toBe(1);
  expect(ended.stderr).toContain('could not be exported');
  const next = await startKycloned({ home });
  expect(await nameOf(next, id)).toBe('Canary-71');
});

test('--export-on-exit: the state of an instance in memory that cannot be written there is kept elsewhere, sealed', async () => {
  const home = tempDir();
  const folder = join(home, 'soon-gone');
  mkdirSync(folder);
  const options = ['--ephemeral', '--export-on-exit', join(folder, 'state.kysnap')];
  const daemon = await startKycloned({ home, options });
  const id = await idOf(daemon);
  rmSync(folder, { recursive: true });
  const { code, stderr } = await daemon.stop();
  expect([code, stderr]).toEqual([1, expect.stringContaining('there is no such file or folder (ENOENT)')]);
  const [, kept = ''] = /It is in (\S+\.kysnap) instead/.exec(stderr) ?? [];
  expect([statSync(dirname(kept)).mode & 0o777, statSync(kept).mode & 0o777]).toEqual([0o700, 0o600]);
  expect(readFileSync(kept).includes('Canary-71')).toBe(false);
  const next = await startKycloned({ home, options: ['--ephemeral', '--import', kept] });
  expect(await nameOf(next, id)).toBe('Canary-71');
});

test('load: pending deliveries are sent after it', async () => {
  let isUp = false;
  await using receiver = await startTarget({
    handler: (_request, response) => void response.writeHead(isUp ? 200 : 500).end(),
  });
  const daemon = await startKycloned({ options: ['--ephemeral'] });
  await daemon.control('POST', '/_kyclone/webhooks', { body: { url: `${receiver.url}/` } });
  const body = { kind: 'service.onboarding.completed' };
  await daemon.control('POST', '/_kyclone/events/trigger', { body });
  await until('a first attempt', () => receiver.requests.length > 0);
  await save(daemon);
  await daemon.control('POST', '/_kyclone/reset');
  isUp = true;
  await load(daemon);
  expect((await daemon.control('GET', '/_kyclone/deliveries')).text).toContain('pending');
  await daemon.control('PUT', '/_kyclone/clock', { body: { action: 'advance', by: '2h' } });
  const after = (await daemon.control('GET', '/_kyclone/deliveries?status=delivered')).body;
  expect((after['data'] as unknown[]).length).toBe(1);
});
