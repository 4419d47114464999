/** Stated values that don't match, three of them within an hour (contract §11): the line of a case, and the filter. */
import { expect } from 'vitest';
import { MINUTE_MS } from '../../../src/kernel/numbers/units.ts';
import { accessScreen } from '../../../src/nouns/access-log/screen.ts';
import { entityScreen } from '../../../src/nouns/entities/screen/entity.ts';
import { NOON, type TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';
import { aSource, cellsOf, factsOf, loadPane } from '../../tui/screens/a-source.ts';

const WRONG = { identifier: 'id.first_name', value: 'Quillonda' };
const RIGHT = { identifier: 'id.first_name', value: 'Wilhelmina' };
const UNREADABLE = { identifier: 'id.dob', value: 'garbage' };
const ABSENT = { identifier: 'id.visa_expiration_date', value: '2031-01-01' };

/** States values at minutes after noon, each list in one request. */
async function state(
  service: TestService,
  fp_id: string,
  { at, values }: { at: number; values: readonly { identifier: string; value: string }[] },
): Promise<void> {
  await service.call('PUT /_kyclone/clock', {
    body: { action: 'freeze', at: new Date(NOON + at * MINUTE_MS).toISOString() },
  });
  await service.send({
    method: 'POST',
    path: `/users/${fp_id}/verify`,
    headers: { 'x-kyclone-operator': 'Ada' },
    body: { values, reason: `call at ${at}` },
  });
}

async function repeated(service: TestService, query: Record<string, string> = {}): Promise<number[]> {
  const { body } = await service.call('GET /_kyclone/access-log', {
    query: { misses: 'repeated', ...query },
  });
  expect(body.meta.count).toBe(body.data.length);
  return body.data.map(({ seq }) => seq);
}

const recent = async (service: TestService, fp_id: string) =>
  (await service.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id } })).body.recent_misses;

test('misses: three within any hour, of one person; matches, unreadable and absent values are none', async (service) => {
  const [guessed, other] = [await service.user(), await service.user()];
  await state(service, guessed, { at: 0, values: [WRONG] });
  await state(service, other, { at: 1, values: [WRONG] });
  await state(service, other, { at: 2, values: [UNREADABLE] });
  await state(service, other, { at: 3, values: [ABSENT] });
  await state(service, other, { at: 4, values: [WRONG] });
  await state(service, guessed, { at: 50, values: [WRONG] });
  await state(service, guessed, { at: 61, values: [WRONG] });
  expect(await repeated(service)).toEqual([]);
  expect(await recent(service, guessed)).toBeNull();

  await state(service, guessed, { at: 100, values: [RIGHT] });
  await state(service, guessed, { at: 110, values: [WRONG] });
  expect(await repeated(service)).toEqual([9, 7, 6]);
  expect(await repeated(service, { fp_id: other })).toEqual([]);
  expect(await repeated(service, { since: new Date(NOON + 100 * MINUTE_MS).toISOString() })).toEqual([9]);
  expect(await repeated(service, { q: 'call at 61' })).toEqual([7]);
  const last_at = new Date(NOON + 110 * MINUTE_MS).toISOString();
  expect(await recent(service, guessed)).toEqual({ count: 3, last_at, last_operator: 'Ada' });
  expect(await recent(service, other)).toBeNull();

  await state(service, guessed, { at: 111, values: [RIGHT] });
  expect(await recent(service, guessed)).toBeNull();
  expect(await repeated(service)).toEqual([9, 7, 6]);
});

test('misses: three wrong values in one request count as three, by the clock of the instance', async (service) => {
  const fp_id = await service.user();
  const values = [
    WRONG,
    { identifier: 'id.last_name', value: 'Nobody' },
    { identifier: 'id.city', value: 'Oz' },
  ];
  await state(service, fp_id, { at: 5, values });
  expect(await repeated(service)).toEqual([1]);
  expect(await recent(service, fp_id)).toMatchObject({ count: 3 });

  const source = aSource((await service.listen()).port);
  const overview = await loadPane({ source, screen: entityScreen, title: 'Overview', params: { fp_id } });
  expect(factsOf(overview)['misses']).toBe('3 failed verifications in the last hour (last 12:05, Ada)');
  const log = await loadPane({
    source,
    screen: accessScreen,
    title: 'Access log',
    filter: 'misses:repeated result:no_match',
  });
  expect(cellsOf(log).map((cells) => cells[5])).toEqual(['id.first_name: no match +2']);

  // The clock was set back: the entry is in the future.
  await state(service, fp_id, { at: 4, values: [RIGHT] });
  expect(await recent(service, fp_id)).toBeNull();
});
