/** An import that is refused stores nothing; and how large an import may be (contract §7.4). */
import { describe, expect } from 'vitest';
import { IMPORT_LIMIT_BYTES } from '../../../src/nouns/bank-links/facts.ts';
import { LIVE_KEY, failureOf } from '../../support/service.ts';
import { idMade } from './a-bank.ts';
import { aLink, aRow, CHECKING, IMPORT, plus } from './an-import.ts';
import { bytesOf } from '../../support/store-bytes.ts';
import { testWith } from '../../support/test-with.ts';

const test = testWith(aLink);

const CANARY = 'Zyxwvcanary';

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

  test('import: an id that comes twice in one body is 400 on the later row', async (link) => {
    const account_id = link.account(CHECKING);
    const everything = await link.everything();
    const row = aRow(account_id, { transaction_id: 'other-1' });

    expect(await link.refused(row, aRow(account_id), row)).toMatchObject({
      status: 400,
      code: 'invalid_request',
      context: { 'transactions[2].transaction_id': 'is that of an earlier row too' },
    });
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

  test('import: reports fifty reasons and how many rows are wrong, and no value', async (link) => {
    const rows = Array.from({ length: 80 }, () => ({
      amount: CANARY,
      description: [CANARY],
      [CANARY]: CANARY,
    }));

    const { message, context, code } = await link.refused(...rows);

    expect([code, message]).toEqual([
      'invalid_request',
      'Nothing was imported: of 80 transactions 80 are wrong',
    ]);
    expect(Object.keys(context ?? {})).toHaveLength(50);
    expect(Object.keys(context ?? {}).slice(0, 5)).toEqual([
      ...['account_id', 'amount', 'date', 'description'].map((member) => `transactions[0].${member}`),
      'transactions[1].account_id',
    ]);
    expect(message + JSON.stringify(context)).not.toContain(CANARY);
  });

  test.eachWith([
    ['nothing', undefined],
    ['an object without transactions', {}],
    ['a list', [{}]],
    ['an empty list', { transactions: [] }],
    ['no list', { transactions: {} }],
    ['null', { transactions: null }],
    ['rows that are no objects', { transactions: ['x'] }],
    ['a row that is null', { transactions: [null] }],
    ['a row that is a list', { transactions: [[]] }],
  ])('import: %s is 400', async (link, _what, body) => {
    const refusal = await link.service.refused(IMPORT, { params: { link_id: link.id }, body });
    expect(refusal).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  test('import: half of a surrogate pair is no JSON to us', async (link) => {
    const body = JSON.stringify({
      transactions: [aRow(link.account(CHECKING), { description: 'a\ud83db' })],
    });
    expect(await link.service.refused(IMPORT, { params: { link_id: link.id }, body })).toMatchObject({
      code: 'invalid_json',
    });
  });
});

describe('owner and state of the link', () => {
  const WRONG = [{ amount: 'x' }];

  test('import: to a disconnected link is 409, once its rows are right; connected again it works', async (link) => {
    const row = aRow(link.account(CHECKING), { transaction_id: 'other-1' });
    await link.bank.reset(link.id);

    expect(await link.refused(row)).toMatchObject({ status: 409, code: 'link_disconnected' });
    expect(await link.refused(...WRONG)).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(await link.transaction('other-1')).toEqual([]);
    await link.bank.link(link.fp_id, { link_id: link.id });
    await link.import(row);
    expect(await link.transaction('other-1')).toHaveLength(1);
  });

  test('import: to a deleted or unknown link, or one of another environment, is 404 whatever the rows', async (link) => {
    const { id } = await link.bank.link(link.fp_id);
    await link.bank.request('DELETE /bank_links/{link_id}', id);
    const rows = [aRow(link.account(CHECKING))];
    const calls = [
      { params: { link_id: id } },
      { params: { link_id: 'link_0000000000000000000000' } },
      { params: { link_id: link.id }, as: LIVE_KEY },
    ];

    for (const call of calls) {
      for (const transactions of [rows, WRONG]) {
        expect(await link.service.refused(IMPORT, { ...call, body: { transactions } })).toMatchObject(
          failureOf(404, 'not_found'),
        );
      }
    }
  });

  test('import: without the scope is 403, also to an unknown link', async (link) => {
    const as = await link.service.key({ scopes: [] });
    for (const link_id of [link.id, 'link_unknown']) {
      const body = { transactions: WRONG };
      expect(await link.service.refused(IMPORT, { params: { link_id }, body, as })).toMatchObject(
        failureOf(403, 'scope_missing'),
      );
    }
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

describe('size', () => {
  /** Returns a body of exactly this many bytes. The service ignores unknown members. */
  const bodyOf = (account_id: string, bytes: number) => {
    const body = { transactions: [aRow(account_id, { transaction_id: 'other-1' })], filler: '' };
    return JSON.stringify({ ...body, filler: 'x'.repeat(bytes - JSON.stringify(body).length) });
  };

  test('import: a body of 1 MiB is taken, one of a byte more is 413', async (link) => {
    const account_id = link.account(CHECKING);

    const over = await link.service.refused(IMPORT, {
      params: { link_id: link.id },
      body: bodyOf(account_id, IMPORT_LIMIT_BYTES + 1),
    });
    expect(over).toMatchObject({ status: 413, code: 'payload_too_large' });
    expect(await link.transaction('other-1')).toEqual([]);

    const body = bodyOf(account_id, IMPORT_LIMIT_BYTES);
    expect(Buffer.byteLength(body)).toBe(1_048_576);
    expect(await link.bank.request(IMPORT, link.id, { body })).toMatchObject({ status: 200 });
    expect(await link.transaction('other-1')).toHaveLength(1);
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
});

test('import: no value of it is in the store, the journal or the log in the clear', async (link) => {
  const account_id = link.account(CHECKING);
  const row = {
    ...{
      amount: '903517.264',
      description: CANARY,
      raw_description: CANARY,
      category: CANARY,
      currency: 'ZYX',
    },
  };
  await link.import(aRow(account_id, row));
  await link.refused(aRow(account_id, { ...row, pending: CANARY, [CANARY]: 1 }));
  expect(await link.transactions()).toContainEqual(
    expect.objectContaining({ description: CANARY, amount: '903517.264' }),
  );

  const journal = await link.service.send({ method: 'GET', path: '/_kyclone/requests?page_size=100' });
  expect(journal.status).toBe(200);
  await link.service.flush();
  const places = {
    store: bytesOf(link.service.database),
    journal: Buffer.from(journal.text),
    log: Buffer.from(JSON.stringify(link.service.log)),
  };
  for (const [place, bytes] of Object.entries(places)) {
    for (const value of [CANARY, '903517.264', '903517']) {
      expect([place, value, bytes.includes(value)]).toEqual([place, value, false]);
    }
  }
});
