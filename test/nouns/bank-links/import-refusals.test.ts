/** An import that is refused stores nothing; and how large an import may be (contract §7.4). */
import { describe, expect } from 'vitest';
import { IMPORT_LIMIT_BYTES } from '../../../src/nouns/bank-links/facts.ts';
import { idMade } from './a-bank.ts';
import { aLink, aRow, CHECKING, IMPORT, plus } from './an-import.ts';
import { testWith } from '../../support/test-with.ts';

const test = testWith(aLink);

describe('all or nothing', () => {
  test('import: of a hundred rows with a wrong one nothing is to be seen', async (link) => {
    const account_id = link.account(CHECKING);
    await link.import(aRow(account_id, { transaction_id: 'other-5' }));
    const everything = await link.everything();
    const rows = Array.from({ length: 100 }, (_, index) =>
      aRow(account_id, { transaction_id: `other-${index}` }),
    );

    for (const at of [0, 50, 99]) {
      const wrong = rows.map((row, index) => (index === at ? { ...row, amount: '1,50' } : row));
      expect(await link.refused(...wrong)).toMatchObject({
        status: 400,
        code: 'invalid_request',
        message: 'Nothing was imported: of 100 transactions 1 is wrong',
        context: {
          [`transactions[${at}].amount`]: 'must be a text of up to 12 digits, with up to 4 decimals',
        },
      });
    }
    expect(await link.everything()).toBe(everything);
  });

  test('import: an account of another link of the same user is 400', async (link) => {
    const other = await link.bank.link(link.fp_id);
    const [account] = await link.bank.accounts(other.id);

    expect(await link.refused(aRow(link.account(CHECKING)), aRow(account?.id ?? ''))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      context: { 'transactions[1].account_id': 'is not an account of this link' },
    });
  });
});

describe('owner and state of the link', () => {
  const WRONG = [{ amount: 'x' }];

  test('import: to a disconnected link is 409, once its rows are right; connected again it works', async (link) => {
    const row = aRow(link.account(CHECKING), { transaction_id: 'other-1' });
    await link.bank.reset(link.id);

    const parts = { params: { link_id: link.id }, body: { transactions: [row] } };
    for (const dry_run of [false, true]) {
      const refusal = await link.service.refused(IMPORT, { ...parts, query: { dry_run } });
      expect(refusal).toMatchObject({ status: 409, code: 'link_disconnected' });
    }
    expect(await link.refused(...WRONG)).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(await link.transaction('other-1')).toEqual([]);
    await link.bank.link(link.fp_id, { link_id: link.id });
    await link.import(row);
    expect(await link.transaction('other-1')).toHaveLength(1);
  });

  test.eachWith([
    ['deleted', 'DELETE /bank_links/{link_id}', 404, 'not_found'],
    ['disconnected', 'POST /bank_links/{link_id}/reset', 409, 'link_disconnected'],
  ] as const)(
    'import: to a link that is %s while rows are being sealed nothing comes',
    async (link, _what, key, status, code) => {
      const everything = await link.everything();
      const rows = Array.from({ length: 4_000 }, () => aRow(link.account(CHECKING)));
      const isUnderWay = idMade(link.service, 'bankTransaction');
      let isDone = false;
      const reply = link.bank
        .request(IMPORT, link.id, { body: { transactions: rows } })
        .finally(() => (isDone = true));
      await isUnderWay;

      expect((await link.bank.request(key, link.id)).status).toBe(200);

      expect(isDone).toBe(false);
      expect(await reply).toMatchObject({ status, body: { code } });
      if (code === 'link_disconnected') expect(await link.everything()).toBe(everything);
      else
        expect(link.service.database.prepare('SELECT count(*) FROM bank_transactions').pluck().get()).toBe(0);
    },
  );
});

test('import: 4,000 rows of together 1 MiB are all there, and the balance with them', async (link) => {
  const account_id = link.account(CHECKING);
  const before = await link.balance(account_id);
  const { total } = await link.bank.transactions(link.id);
  const rowOf = (index: number, raw: string) =>
    aRow(account_id, { amount: '-0.01', transaction_id: `other-${index}`, raw_description: raw });
  const spare = Math.floor(IMPORT_LIMIT_BYTES / 4_000) - JSON.stringify(rowOf(4_000, '')).length - 2;
  const rows = Array.from({ length: 4_000 }, (_, index) => rowOf(index, 'x'.repeat(spare)));
  expect(JSON.stringify({ transactions: rows }).length).toBeGreaterThan(0.98 * IMPORT_LIMIT_BYTES);

  await link.import(...rows);

  expect((await link.bank.transactions(link.id)).total).toBe(total + 4_000);
  expect(await link.balance(account_id)).toBe(plus(before, '-40'));
});
