/** A dry run of an import returns what the import would return, and changes nothing (contract §7.4). */
import { expect } from 'vitest';
import type { TestService } from '../../support/service.ts';
import { testWith } from '../../support/test-with.ts';
import { aLink, aRow, CHECKING, IMPORT, type Row } from './an-import.ts';

type Link = Awaited<ReturnType<typeof aLink>>;

/** Makes a link, and waits until its user is listed by fingerprint, which happens later and changes the store too. */
async function aSettledLink(): Promise<Link> {
  const link = await aLink();
  const listed = 'SELECT up_to = (SELECT max(id) FROM entities) FROM fingerprint_listing';
  await expect.poll(() => link.service.database.prepare(listed).pluck().get()).toBe(1);
  return link;
}

const test = testWith(aSettledLink);

/** Returns how many rows of the store have been changed so far. */
const storeOf = ({ database }: TestService) => database.prepare('SELECT total_changes()').pluck().get();

const dry = (link: Link, transactions: Row[]) =>
  link.service.call(IMPORT, {
    params: { link_id: link.id },
    query: { dry_run: true },
    body: { transactions },
  });

test('import: a dry run of valid rows returns {} as the import does, and leaves the store unchanged', async (link) => {
  const rows = [aRow(link.account(CHECKING)), aRow(link.account(CHECKING), { transaction_id: 'other-1' })];
  const [everything, store] = [await link.everything(), storeOf(link.service)];

  const { body } = await dry(link, rows);

  expect(storeOf(link.service)).toEqual(store);
  expect(await link.everything()).toBe(everything);
  expect(body).toEqual({});
  expect((await link.import(...rows)).body).toEqual(body);
  expect(storeOf(link.service)).not.toEqual(store);
});

test('import: of wrong rows is refused as the import is, row by row and member by member', async (link) => {
  const account_id = link.account(CHECKING);
  const rows = [
    aRow(account_id),
    aRow(account_id, { amount: '1,50', date: '2026-02-30' }),
    aRow('acct_0000000000000000000000', { currency: 'euro' }),
  ];
  const store = storeOf(link.service);

  const refused = await link.service.refused(IMPORT, {
    params: { link_id: link.id },
    query: { dry_run: true },
    body: { transactions: rows },
  });

  expect(refused).toMatchObject({
    status: 400,
    code: 'invalid_request',
    message: 'Nothing was imported: of 3 transactions 2 are wrong',
  });
  expect(Object.keys(refused.context ?? {})).toEqual([
    'transactions[1].amount',
    'transactions[1].date',
    'transactions[2].account_id',
    'transactions[2].currency',
  ]);
  const { status, code, message, context } = await link.refused(...rows);
  expect(refused).toMatchObject({ status, code, message, context });
  expect(storeOf(link.service)).toEqual(store);
});

test('import: takes no id, so that a seed gives the next import the same ids', async () => {
  const idsAfter = async (runs: number) => {
    await using link = await aLink();
    const before = new Set((await link.transactions()).map(({ transaction_id }) => transaction_id));
    const row = aRow(link.account(CHECKING));
    for (let run = 0; run < runs; run++) await dry(link, [row]);
    await link.import(row);
    return (await link.transactions())
      .map(({ transaction_id }) => transaction_id)
      .filter((id) => !before.has(id));
  };
  const ids = await idsAfter(0);
  expect(ids).toHaveLength(1);
  expect(await idsAfter(2)).toEqual(ids);
});

test('import: dry_run=false imports, another word is refused', async (link) => {
  const store = storeOf(link.service);
  const send = (dry_run: unknown) => ({
    params: { link_id: link.id },
    query: { dry_run },
    body: { transactions: [aRow(link.account(CHECKING))] },
  });
  expect(await link.service.refused(IMPORT, send('maybe'))).toMatchObject({ code: 'invalid_request' });
  expect(storeOf(link.service)).toEqual(store);
  await link.service.call(IMPORT, send(false) as never);
  expect(storeOf(link.service)).not.toEqual(store);
});
