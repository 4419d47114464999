import { expect } from 'vitest';
import { bankScreen, banksScreen } from '../../../../src/nouns/bank-links/screen/links.ts';
import type { TestService } from '../../../support/service.ts';
import { test } from '../../../support/test-with.ts';
import { aSource, cellsOf, factsOf, loadPane, toneAt } from '../../../tui/screens/a-source.ts';
import { aLink } from '../a-bank.ts';

async function aBank(service: TestService, persona: string) {
  const { port } = await service.listen();
  const { bank, fp_id, link } = await aLink(service, { persona });
  const of = (title: string) => ({
    source: aSource(port),
    screen: bankScreen,
    title,
    params: { link_id: link.id, fp_id },
  });
  return { bank, fp_id, link, port, of };
}

test('banks: links are listed newest first, and lead to the link and its user', async (service) => {
  const { bank, fp_id, link, port } = await aBank(service, 'default');
  const newer = await bank.link(fp_id, { persona: 'thin', external_id: 'mine' });
  await bank.reset(newer.id);
  const list = { source: aSource(port), screen: banksScreen, title: 'Bank links', size: 1 };
  const first = await loadPane(list);
  expect(cellsOf(first)).toEqual([
    [newer.id, fp_id, 'auth_expired', 'First Example Bank', 'mine', '2026-03-01 12:00:00'],
  ]);
  expect(first.total).toBe(2);
  expect(toneAt(first.rows[0], 2)).toBe('bad');
  const second = await loadPane(list, first.next ?? '');
  expect(second.next).toBeNull();
  expect(second.rows[0]).toMatchObject({
    id: link.id,
    command: ['bank', 'links', 'get', link.id],
    call: { method: 'GET', path: `/bank_links/${link.id}` },
    opens: { screen: 'bank', params: { link_id: link.id, fp_id } },
    subject: { kind: 'user', fp_id },
  });
});

test('bank: accounts have their balances, what is owed stands out', async (service) => {
  const { bank, link, of } = await aBank(service, 'default');
  const accounts = await bank.accounts(link.id);
  const page = await loadPane(of('Accounts'));
  const plain = cellsOf(page).map((cells) => cells.map((cell) => cell.replaceAll(',', '')));
  expect(plain).toEqual(
    accounts.map(({ name, nickname, mask, account_type, balances }) => [
      nickname ?? name,
      mask,
      account_type,
      balances?.current,
      balances?.available ?? '-',
      'USD',
      'First Example Bank',
    ]),
  );
  const card = accounts.findIndex(({ account_type: type }) => type === 'liability.credit_card');
  expect(toneAt(page.rows[card], 3)).toBe('warn');
  expect(page.rows[0]).toMatchObject({ id: accounts[0]?.id, command: ['bank', 'accounts', link.id] });
});

test('bank: transactions are paged over more than two pages, each once, newest first', async (service) => {
  const { bank, link, of } = await aBank(service, 'default');
  const all = await bank.allTransactions(link.id);
  const ids: (string | undefined)[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = await loadPane(of('Transactions'), cursor);
    expect(page.total).toBe(all.length);
    expect(page.rows[0]?.command).toContain(String(++pages));
    expect(page.banner === undefined).toBe(pages > 1);
    ids.push(...page.rows.map(({ id }) => id));
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  expect(pages).toBeGreaterThan(2);
  expect(pages).toBe(Math.ceil(all.length / 100));
  expect(ids).toEqual(all.map(({ transaction_id: id }) => id));
});

test('bank: a transaction shows its direction, and one that is pending says so', async (service) => {
  const { bank, link, of } = await aBank(service, 'default');
  const accounts = await bank.accounts(link.id);
  const account = accounts.find(({ account_type: type }) => type === 'depository.checking');
  const row = { account_id: account?.id, date: '2026-03-01' };
  await bank.import(link.id, [
    { ...row, transaction_id: 'a', amount: '-1234.50', description: 'A large lunch', category: 'food' },
    { ...row, transaction_id: 'b', amount: '2.00', description: 'A refund' },
    { ...row, transaction_id: 'c', amount: '-3.00', description: 'Still to come', pending: true },
  ]);
  const page = await loadPane(of('Transactions'));
  const placeOf = (text: string) => cellsOf(page).findIndex((cells) => cells[1] === text);
  const rowOf = (text: string) => page.rows[placeOf(text)];
  expect(cellsOf(page)[placeOf('A large lunch')]).toEqual([
    '2026-03-01',
    'A large lunch',
    'food',
    '-1,234.50 USD',
    `…${account?.mask ?? ''}`,
  ]);
  expect(toneAt(rowOf('A large lunch'), 3)).toBe('plain');
  expect(toneAt(rowOf('A refund'), 3)).toBe('good');
  expect(toneAt(rowOf('pending  Still to come'), 3)).toBe('dim');
  expect(page.banner).toMatch(
    /^USD, \d+ days [▁▂▃▄▅▆▇█]{20} low [-\d,.]+ \(\d\d-\d\d\) high [\d,.]+ \(\d\d-\d\d\)$/,
  );
});

test('bank: the line of the balance begins with what there was, so that an old one ends in the present', async (service) => {
  const { bank, link, of } = await aBank(service, 'empty');
  const [account] = await bank.accounts(link.id);
  if (account === undefined) throw new Error('the persona has no account');
  expect((await loadPane(of('Transactions'))).banner).toBeUndefined();
  const day = (date: string, amount: string) => ({ account_id: account.id, date, amount, description: date });
  await bank.import(link.id, [day('2026-02-25', '500.10'), day('2026-02-27', '-600.20')]);
  expect(account.balances?.current).toBe('0.00');
  expect((await loadPane(of('Transactions'))).banner).toBe(
    'USD, 5 days ██▁▁▁ low -100.10 (02-27) high 500.10 (02-25)',
  );
});

test('bank: holdings are shown where there are any', async (service) => {
  const { link, of } = await aBank(service, 'investor');
  const page = await loadPane(of('Holdings'));
  const params = { link_id: link.id };
  const { body } = await service.call('GET /bank_links/{link_id}/investments/holdings', { params });
  expect(page.rows.map(({ id }) => id)).toEqual(body.holdings.map(({ security_id: id }) => id));
  expect(page.rows.length).toBeGreaterThan(0);
  expect(cellsOf(page).map(([name]) => name)).toEqual(
    body.holdings.map(({ security_id: id }) => body.securities.find((one) => one.security_id === id)?.name),
  );
  expect(page.rows[0]?.command).toEqual(['bank', 'holdings', link.id]);
});

test('bank: the link shows its state, persona and user, who is what the screen is about', async (service) => {
  const { bank, fp_id, link, of } = await aBank(service, 'thin');
  await bank.reset(link.id);
  const page = await loadPane(of('Link'));
  expect(factsOf(page)).toMatchObject({
    state: expect.stringMatching(/^error, /) as string,
    persona: 'thin',
    user: fp_id,
    'created (UTC)': '2026-03-01 12:00:00',
    'refreshed accounts': '2026-03-01 12:00:00',
  });
  expect(toneAt(page.rows[0], 1)).toBe('bad');
  expect(page.rows.find(({ opens }) => opens !== undefined)?.opens).toEqual({
    screen: 'entity',
    params: { fp_id, kind: 'user' },
  });
  expect(bankScreen.subject?.({ link_id: link.id, fp_id })).toEqual({ kind: 'user', fp_id });
  expect(bankScreen.subject?.({ link_id: link.id })).toBeUndefined();
});

test('bank: under the live environment the live key is what a copied command asks with', async (service) => {
  const { port } = await service.listen();
  const source = aSource(port, 'live');
  const fp_id = (await source.client.call('POST /users', { body: {} })).id;
  const { intent_token } = await source.client.call('POST /_kyclone/bank_link_intents', { body: { fp_id } });
  const { id } = await source.client.call('POST /bank_links', { body: { intent_token } });
  const page = await loadPane({ source, screen: banksScreen, title: 'Bank links' });
  expect(page.rows[0]?.command).toEqual(['bank', 'links', 'get', id, '--live']);
});
