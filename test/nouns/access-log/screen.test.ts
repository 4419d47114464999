import { expect, test } from 'vitest';
import { accessQuery, accessScreen } from '../../../src/nouns/access-log/screen.ts';
import { NOON, startService } from '../../support/service.ts';
import { vaultOf } from '../../support/vault-calls.ts';
import { aSource, cellsOf, loadPane, toneAt } from '../../tui/screens/a-source.ts';

const ID = 'fp_id_7p793EF07xKXHqAeg5VGPj';

test.each([
  ['', {}],
  ['refused', { outcome: 'refused' }],
  [`${ID} decrypt`, { fp_id: ID, operation: 'decrypt' }],
  ['id.ssn9', { identifier: 'id.ssn9' }],
  ['Ada Lovelace', { q: 'Ada Lovelace' }],
  ['operator:"Ada Lovelace" granted', { operator: 'Ada Lovelace', outcome: 'granted' }],
  ['by:ada since:2h', { operator: 'ada', since: '2026-03-01T10:00:00.000Z' }],
  [`who:${ID}`, { fp_id: ID }],
  ['who:customer-17', { external_id: 'customer-17' }],
  ['field:custom.note', { identifier: 'custom.note' }],
  ['"two words"', { q: 'two words' }],
  ['on:2026-02-28', { since: '2026-02-28T00:00:00.000Z', until: '2026-03-01T00:00:00.000Z' }],
  ['on:today', { since: '2026-03-01T00:00:00.000Z', until: '2026-03-02T00:00:00.000Z' }],
  ['until:2026-02-28T12:30', { until: '2026-02-28T12:30:00.000Z' }],
  ['since:2026-02-28T12:30:00+02:00', { since: '2026-02-28T10:30:00.000Z' }],
  ['result:no_match misses:Repeated', { result: 'no_match', misses: 'repeated' }],
  ['misses:many', undefined],
  ['result:wrong', undefined],
  ['since:yesterdayish', undefined],
  ['since:2026-02-30', undefined],
  ['since:2026-02-30T12:00', undefined],
  ['outcome:maybe', undefined],
  ['granted refused', undefined],
  ['colour:red', undefined],
  ['until:', undefined],
  ['ada since: 2h', undefined],
  ['operator:""', undefined],
])('access filter: %j', (filter, query) => {
  expect(accessQuery(filter, NOON)).toEqual(query);
});

test('access log: all people, filtered, and each row is about its person', async () => {
  await using service = await startService();
  const source = aSource((await service.listen()).port);
  const [first, second] = [await service.user(), await service.user()];
  await vaultOf(service, first).decrypt(['id.ssn9', 'id.email'], { reason: 'ticket 1' });
  const blind = vaultOf(service, second, await service.key({ permissions: [] }));
  await blind.refusedDecrypt({ fields: ['id.ssn9'], reason: 'ticket 2' });
  const of = (filter: string) => loadPane({ source, screen: accessScreen, title: 'Access log', filter });
  const page = await of('');
  expect(cellsOf(page).map((cells) => cells.slice(2, 7))).toEqual([
    ['decrypt', 'refused', second, 'id.ssn9', 'ticket 2'],
    ['decrypt', 'granted', first, 'id.ssn9 +1', 'ticket 1'],
  ]);
  expect(toneAt(page.rows[0], 3)).toBe('bad');
  expect(page.rows[0]).toMatchObject({
    opens: { screen: 'entity', params: { fp_id: second } },
    subject: { kind: 'user', fp_id: second },
    command: ['audit', 'list', '--entity', second],
  });
  expect((await of('granted')).total).toBe(1);
  expect((await of('operator:ad')).banner).toContain('whole name');
  expect((await of('ticket 2')).rows).toHaveLength(1);
  expect(await of('since:never')).toMatchObject({
    rows: [],
    banner: expect.stringContaining('since:') as string,
  });
});
