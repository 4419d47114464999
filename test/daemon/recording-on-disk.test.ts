/** A recording is kept in memory only, and never reaches the daemon's disk. It leaves out calls that faults strike. */
import { expect, test } from 'vitest';
import { filesBelow, filesWith } from '../e2e/canary.ts';
import { startKycloned } from '../support/kycloned.ts';

const CANARY = 'Canariensis-5381';

test('record: no recorded value is on disk, during the recording or after it', async () => {
  const daemon = await startKycloned({ options: [] });
  expect((await daemon.control('POST', '/_kyclone/recording')).status).toBe(200);
  expect((await daemon.call('POST', '/users', { body: { 'id.first_name': CANARY } })).status).toBe(200);
  const isOnDisk = () => filesWith(daemon.home, CANARY);
  expect(isOnDisk()).toEqual([]);
  expect((await daemon.control('DELETE', '/_kyclone/recording')).text).toContain(CANARY);
  expect(isOnDisk()).toEqual([]);
  await daemon.stop();
  expect(filesBelow(daemon.home).length).toBeGreaterThan(1);
  expect(isOnDisk()).toEqual([]);
  expect(daemon.stderr()).not.toContain(CANARY);
});

test('record: what faults strike is left out, and the rules too: the fixture passes without them', async () => {
  const daemon = await startKycloned({ options: ['--ephemeral'] });
  const fault = { match: { path: '/users' }, status: 503, probability: 0.5, seed: 'coin' };
  await daemon.control('POST', '/_kyclone/recording');
  expect((await daemon.control('POST', '/_kyclone/faults', { body: fault })).status).toBe(200);
  const statuses: number[] = [];
  for (let n = 0; n < 20; n++) statuses.push((await daemon.call('GET', '/users')).status);
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
  const { recorded } = (await daemon.control('DELETE', '/_kyclone/recording')).body as {
    recorded: { status: number }[];
  };
  expect(recorded.map(({ status }) => status)).toEqual(statuses.filter((status) => status === 200));
});
