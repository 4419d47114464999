/** Statements imported by the real binary into a link of a real daemon: all of their rows or none. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type {
  BankAccount,
  BankLink,
  BankTransaction,
} from '../../../src/nouns/bank-links/endpoints/records.ts';
import { jsonOf } from '../../support/cli.ts';
import { cliIn } from '../../support/cli-in-process.ts';
import { useDaemon } from '../../support/use-shared.ts';

const CANARY = 'Zanzibar-4711';
const NO_LINK = 'link_0000000000000000000000';

const daemon = useDaemon({ isDurable: true, options: ['--seed', 'bank-import'] });
let linkId: string;
let accounts: readonly BankAccount[];

const { json } = cliIn(() => daemon().home);
const { run } = cliIn(() => daemon().home, 'bank', 'import');
const file = (name: string, content: string): string => {
  const path = join(daemon().home, name);
  writeFileSync(path, content);
  return path;
};

async function aLink(persona: string): Promise<string> {
  const { id } = await json(['users', 'create', 'id.first_name=Jane']);
  return (await json<BankLink>(['bank', 'link', '--user', String(id), '--persona', persona])).id;
}

const accountsOf = async (id: string) =>
  (await json<{ accounts: BankAccount[] }>(['bank', 'accounts', id])).accounts;
/** Returns the transactions of the link in the year 2001, which is before the history of any persona. */
const imported = async (id = linkId) => {
  const year = ['--from', '2001-01-01', '--to', '2001-12-31'];
  const page = await json<{ transactions: BankTransaction[] }>(['bank', 'transactions', id, ...year]);
  return page.transactions;
};

beforeAll(async () => {
  // The numbers of accounts are random: no two of one link may end alike.
  linkId = await aLink('default');
  accounts = await accountsOf(linkId);
});

const ofx = (number: string, ...transactions: string[]) =>
  'OFXHEADER:100\nDATA:OFXSGML\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD' +
  `<BANKACCTFROM><ACCTID>${number}</BANKACCTFROM><BANKTRANLIST>` +
  transactions.map((one) => `<STMTTRN>${one}</STMTTRN>`).join('') +
  '</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>';

test('bank import: an OFX statement, dry run first; a second import replaces its own rows', async () => {
  const [account] = accounts;
  const number = `5550${account?.mask ?? ''}`;
  const path = file(
    'statement.ofx',
    ofx(
      number,
      '<TRNAMT>-12.50<DTPOSTED>20010105<FITID>f-1<NAME>Tea',
      '<TRNAMT>0.10<DTPOSTED>20010106120000[-5:EST]<FITID>f/2<NAME>Refund',
    ),
  );
  const dry = await run([linkId, path, '--dry-run']);
  expect(dry).toMatchObject({ code: 0, stderr: '' });
  expect(dry.stdout).toMatch(/^would import {2}2 transactions\ndates +2001-01-05 to 2001-01-06$/m);
  expect(dry.stdout).toMatch(/^ +12\.50 +0\.10 +-12\.40 +USD$/m);
  expect(dry.stdout).not.toContain(number);
  expect(await imported()).toEqual([]);

  for (const time of ['once', 'again']) {
    const done = await run([linkId, path, '--json']);
    expect(done, time).toMatchObject({ code: 0, stderr: '' });
    expect(jsonOf(done)).toEqual({
      dry_run: false,
      transactions: 2,
      imported: 2,
      known: 0,
      accounts: [{ account_id: account?.id, transactions: 2 }],
      first_date: '2001-01-05',
      last_date: '2001-01-06',
      totals: [{ currency: 'USD', debits: '12.50', credits: '0.10', net: '-12.40' }],
    });
    expect(await imported()).toMatchObject([
      { amount: '0.10', type: 'credit', description: 'Refund', datetime: '2001-01-06T12:00:00-05:00' },
      { transaction_id: `${account?.id}.f-1`, amount: '12.50', type: 'debit', description: 'Tea' },
    ]);
  }
});

test('bank import: a dry run shows the first rows as they would be stored, with sign and balance', async () => {
  const id = await aLink('default');
  const held = await accountsOf(id);
  const checking = held.find(({ account_type: type }) => type === 'depository.checking');
  const card = held.find(({ account_type: type }) => type === 'liability.credit_card');
  const rows = [
    `2001-03-01,12.50,DR,Tea,${checking?.id},t-1`,
    `2001-03-01,2000,CR,Pay,${checking?.id},t-2`,
    `2001-03-02,5.00,DR,Bus,${card?.id},t-3`,
    ...Array.from({ length: 9 }, (_, index) => `2001-03-03,1,DR,x,${card?.id},more-${index}`),
  ];
  const path = file('signs.csv', ['date,amount,cr_dr,description,account_id,id', ...rows].join('\n'));
  const balances = async () => (await accountsOf(id)).map((account) => account.balances?.current);
  const [opening, owed] = [Number(checking?.balances?.current), Number(card?.balances?.current)];
  const dry = await run([id, path, '--dry-run']);
  expect(dry).toMatchObject({ code: 0, stderr: '' });
  expect(dry.stdout).toMatch(/^DATE +AMOUNT +BALANCE +ACCOUNT +DESCRIPTION$/m);
  const shown = (value: number) => value.toLocaleString('en-US', { minimumFractionDigits: 2 });
  for (const [amount, balance, account, description] of [
    ['-12.50', shown(opening - 12.5), checking, 'Tea'],
    ['+2,000', shown(opening + 1987.5), checking, 'Pay'],
    ['-5.00', shown(owed + 5), card, 'Bus'],
  ] as const) {
    const line = [`${amount} USD`, balance, `…${account?.mask}`, description];
    expect(dry.stdout.split('\n').map((text) => text.replace(/ {2,}/g, '|'))).toContainEqual(
      expect.stringContaining(line.join('|')),
    );
  }
  expect(dry.stdout).toContain('1 to 10 of 12\n');
  expect(await imported(id)).toEqual([]);

  const before = await balances();
  expect((await run([id, path])).code).toBe(0);
  const after = await balances();
  expect(after).not.toEqual(before);
  // A row that replaces its own transaction moves nothing.
  const again = jsonOf(await run([id, path, '--dry-run', '--json'])) as { rows: Record<string, unknown>[] };
  expect(again.rows).toHaveLength(10);
  expect(again.rows[1]).toEqual({
    place: 'line 3',
    account_id: checking?.id,
    mask: checking?.mask,
    date: '2001-03-01',
    type: 'credit',
    amount: '2000',
    currency: 'USD',
    description: 'Pay',
    pending: false,
    balance: (opening + 1987.5).toFixed(2),
  });
});

test('bank import: a CSV of another country from stdin, into the only account of a link', async () => {
  const id = await aLink('empty');
  const csv =
    'Buchungstag;Text;Betrag\r\n31.01.2001;"Miete\r\nJanuar";-1.234,56\r\n01.02.2001;Lohn;2.000\r\n';
  const columns = ['--columns', 'date=buchungstag,description=TEXT,amount=betrag'];
  const german = [...columns, '--date-format', 'DD.MM.YYYY', '--decimal-comma', '--currency', 'EUR'];
  const done = await run([id, '-', ...german], { stdin: csv });
  expect(done).toMatchObject({ code: 0, stderr: '' });
  expect(done.stdout).toMatch(/^imported {2}2 transactions$/m);
  expect(await imported(id)).toMatchObject([
    { amount: '2000', type: 'credit', description: 'Lohn', currency: 'EUR' },
    { amount: '1234.56', type: 'debit', description: 'Miete Januar', currency: 'EUR' },
  ]);
});

test('bank import: rows that name no currency have that of their account, or the given one', async () => {
  const id = await aLink('multi_currency');
  const euros = (await accountsOf(id)).find(({ balances }) => balances?.currency === 'EUR')?.id ?? '';
  const path = file('cafe.csv', 'date,description,amount\n2001-02-01,Tea,-1.00\n');
  await run([id, path, '--account', euros]);
  await run([id, path, '--account', euros, '--currency', 'CHF']);
  expect((await imported(id)).map(({ currency }) => currency).sort()).toEqual(['CHF', 'EUR']);
});

test('bank import: everything wrong is reported by line, without values, and nothing is imported', async () => {
  const before = await imported();
  const path = file(
    'wrong.csv',
    [
      'account_id,amount,date,description,currency',
      `${accounts[0]?.id ?? ''},1.00,2001-03-01,right,USD`,
      `${CANARY},${CANARY},${CANARY},"${CANARY}`,
      `${CANARY}",${CANARY}`,
      `${accounts[0]?.id ?? ''},1.00,2001-02-30,${CANARY},USD`,
    ].join('\n'),
  );
  const refused = await run([linkId, path]);
  expect(refused).toMatchObject({ code: 7, stdout: '' });
  expect(refused.stderr).toContain('Nothing was imported: 5 mistakes in 2 rows\n');
  const members = ['account_id (column 1)', 'amount (column 2)', 'date (column 3)', 'currency (column 5)'];
  for (const member of members) expect(refused.stderr).toContain(`  line 3, ${member}: `);
  expect(refused.stderr).toContain('  line 5, date (column 3): ');
  expect(refused.stderr).toContain('  line 3, account_id (column 1): is not an account of this link\n');
  expect(refused.stderr).not.toContain(CANARY);
  expect(await imported()).toEqual(before);
});

test.each<[string, string[], number, string]>([
  ['no such link', [NO_LINK, 'one.json'], 6, 'not_found'],
  ['no such file', ['LINK', 'none.csv'], 2, 'usage'],
  ['a file of no kind', ['LINK', 'text.txt'], 2, 'usage'],
  ['no such account', ['LINK', 'one.json', '--account', CANARY], 7, 'statement_refused'],
  ['no format of dates', ['LINK', 'one.json', '--date-format', CANARY], 2, 'usage'],
  ['no such column', ['LINK', 'one.json', '--columns', `${CANARY}=x`], 2, 'usage'],
  ['no currency', ['LINK', 'one.json', '--currency', CANARY], 2, 'usage'],
  ['no such format', ['LINK', 'one.json', '--format', CANARY], 2, 'usage'],
])('bank import: %s', async (_, argv, exitCode, code) => {
  file('one.json', '[{"amount": "1", "date": "2001-05-01", "description": "x"}]');
  file('text.txt', `${CANARY}\n`);
  const refused = await run([...argv.map((word) => (word === 'LINK' ? linkId : word)), '--json']);
  expect(refused).toMatchObject({ code: exitCode, stdout: '' });
  expect(JSON.parse(refused.stderr)).toMatchObject({ code, exit_code: exitCode });
  expect(refused.stderr).not.toContain(CANARY);
});

test('bank_import: mistakes are reported before the size, since parts of the file would have them too', async () => {
  const row = `01/02/2026,5,${'x'.repeat(200)}\n`;
  const large = file('large.csv', `date,amount,description\n${row.repeat(6000)}`);
  const account = accounts[0]?.id ?? '';

  const refused = await run([linkId, large, '--account', account]);

  expect(refused.stderr).toContain('Nothing was imported: 6000 mistakes in 6000 rows');
  expect(refused.stderr).toContain('Hint: --date-format');
  const good = file(
    'large-good.csv',
    `date,amount,description\n${row.replace('01/02/2026', '2026-01-02').repeat(6000)}`,
  );
  expect((await run([linkId, good, '--account', account])).stderr).toContain('of 6000 rows would fit');
});
