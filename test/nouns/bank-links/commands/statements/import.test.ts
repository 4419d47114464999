/** The parts of an import besides parsing: formats, rules of rows, accounts, sizes, sums, and the report. */
import { describe, expect, test } from 'vitest';
import {
  assignAccounts,
  settleRepeats,
  withoutKnown,
} from '../../../../../src/nouns/bank-links/commands/statements/accounts.ts';
import {
  mistakesOf,
  rowsRefused,
  type StatementRow,
} from '../../../../../src/nouns/bank-links/commands/statements/rows.ts';
import {
  readJson,
  checkSize,
  readStatement,
  statementOf,
} from '../../../../../src/nouns/bank-links/commands/statements/statement-file.ts';
import { summarize, importView } from '../../../../../src/nouns/bank-links/commands/statements/summary.ts';
import type { CliError } from '../../../../../src/cli/shell/failure.ts';
import { aBankTransaction } from '../../../../support/bank-links.ts';
import { failureOf } from '../../../../support/failure-of.ts';
import { words } from '../../../../support/words.ts';
import { PLAIN } from '../../../../../src/cli/shell/output.ts';
import { ApiError } from '../../../../../src/client/errors.ts';
import { IMPORT_LIMIT_BYTES } from '../../../../../src/nouns/bank-links/facts.ts';
import type { BankTransaction } from '../../../../../src/nouns/bank-links/endpoints/records.ts';

const CANARY = 'Zanzibar-4711';
const GOOD = { account_id: 'acct_1', amount: '5', date: '2026-01-01', description: 'Tea' };
const rowsOf = (...members: Record<string, unknown>[]): StatementRow[] =>
  members.map((one, index) => ({ place: `line ${index + 2}`, members: one }));
const textOf = ({ message, hint, context }: CliError) => JSON.stringify([message, hint, context]);

describe('files', () => {
  test.each([
    ['csv', 'date,amount\n'],
    ['csv', '\ufeffdate;amount\n'],
    ['json', ' \n{"transactions": []}'],
    ['json', '\ufeff[]'],
    ['ofx', 'OFXHEADER:100\n<OFX>'],
    ['ofx', '<?xml version="1.0"?><?OFX OFXHEADER="200"?><OFX>'],
  ])('bank_import: %s is recognised by its content: %j', (format, text) => {
    const statement = statementOf(Buffer.from(text));
    expect(statement.format).toBe(format);
    expect(statement.text.startsWith('\ufeff')).toBe(false);
  });

  test('bank_import: an unknown format is asked for', () => {
    const failure = failureOf(() => statementOf(Buffer.from(`${CANARY}\n`)));
    expect(failure).toMatchObject({ code: 'usage', hint: 'choose one with --format' });
    expect(textOf(failure)).not.toContain(CANARY);
  });

  test('bank_import: bytes that are no UTF-8 are refused with their line, an empty file as such', () => {
    const bytes = Buffer.concat([Buffer.from('a,b\né,1\n'), Buffer.from([0x63, 0xe9, 0x0a])]);
    expect(failureOf(() => statementOf(bytes)).message).toBe('Line 3 is not UTF-8 text');
    for (const damaged of [
      [0xff, 0xfe, 0x61],
      [0xe9, 0x81],
      [0xe9, 0],
    ]) {
      expect(failureOf(() => statementOf(Buffer.from(damaged), 'csv')).message).toContain('Line 1');
    }
    expect(failureOf(() => statementOf(Buffer.from([0x5b, 0xe9]), 'json')).message).toContain('Line 1');
    expect(failureOf(() => statementOf(Buffer.alloc(0))).message).toBe('The file is empty');
  });

  test.runIf(process.platform === 'linux')(
    'bank_import: a file that opens and can’t be read on',
    async () => {
      const failure = { code: 'usage', message: 'The file cannot be read: the disk reports an error (EIO)' };
      await expect(readStatement('/proc/self/mem', 'csv')).rejects.toMatchObject(failure);
    },
  );

  test.each(['utf16le', 'utf16be', 'utf32'])(
    'bank_import: a table in %s without its mark is called so, not one without a header',
    (encoding) => {
      const wide = Buffer.from('date,amount,description\n2026-11-01,-5.00,Coffee\n', 'utf16le');
      if (encoding === 'utf16be') wide.swap16();
      // In UTF-32 two zeros more follow each character.
      const units = Array.from({ length: wide.length / 2 }, (_, at) => wide.subarray(2 * at, 2 * at + 2));
      const bytes =
        encoding === 'utf32' ? Buffer.concat(units.flatMap((unit) => [unit, Buffer.alloc(2)])) : wide;
      const failure = failureOf(() => statementOf(bytes, 'csv'));
      expect(failure.message).toBe('The file is UTF-16 or UTF-32 without the right byte order mark');
      expect(failure.hint).toBe('save the file as UTF-8');
    },
  );

  test('bank_import: UTF-16 is known by its mark, and what is no UTF-8 in a table is windows-1252', () => {
    const text = 'date;payee\n1;Café €';
    const little = Buffer.from(`\ufeff${text}`, 'utf16le');
    expect(statementOf(little)).toEqual({ format: 'csv', text });
    expect(statementOf(Buffer.from(little).swap16())).toEqual({ format: 'csv', text });
    const western = Buffer.concat([Buffer.from('date;payee\n1;Caf'), Buffer.from([0xe9, 0x20, 0x80])]);
    expect(statementOf(western)).toEqual({ format: 'csv', text });
    expect(statementOf(Buffer.from('\ufeffOFXHEADER:100\n<OFX>', 'utf16le')).format).toBe('ofx');
  });

  test('bank_import: a table is recognised below lines without separators, and by its sep=', () => {
    expect(statementOf(Buffer.from('Statement\n\na;b\n')).format).toBe('csv');
    expect(statementOf(Buffer.from('sep=|\na|b\n')).format).toBe('csv');
  });

  const BYTES = Buffer.from([0xe9, 0x80]);
  const CHARSETS = words`1252 8859-1 ISO-8859-1 ISO8859-1 iso_8859_1 NONE WINDOWS-1252 cp1252 Latin1`;
  test.each([
    ...CHARSETS.map((name) => `CHARSET:${name}`),
    ...words`ENCODING:1252 ENCODING:8859-1 ENCODING:NONE ENCODING:USASCII`,
    'CHARSET: none',
    'ENCODING:USASCII\nCHARSET:NONE',
    'ENCODING:USASCII CHARSET:ISO 8859-1 COMPRESSION:NONE',
    '<?xml encoding="windows-1252"?>',
    "<?xml encoding='ISO-8859-1'?>",
    '<?OFX CHARSET="1252"?>',
  ])('bank_import: OFX with %j is windows-1252, or UTF-8 all the same', (header) => {
    const head = `OFXHEADER:100\n${header}\n<OFX>`;
    expect(statementOf(Buffer.concat([Buffer.from(head), BYTES])).text).toBe(`${head}é€`);
    expect(statementOf(Buffer.from(`${head}é`)).text).toBe(`${head}é`);
  });

  test('bank_import: each OFX document is in its own charset, and one that is unknown is refused', () => {
    const document = (charset: string, ...bytes: number[]) =>
      Buffer.concat([Buffer.from(`CHARSET:${charset}\n<OFX>`), Buffer.from(bytes), Buffer.from('</OFX>\n')]);
    const both = Buffer.concat([
      document('UTF-8', 0xc3, 0xa9),
      document('1252', 0xe9),
      document('8859-15', 0xa4),
    ]);
    expect(statementOf(both, 'ofx').text.match(/(?<=<OFX>)./g)).toEqual(['é', 'é', '€']);
    expect(statementOf(document('', 0xe9), 'ofx').text).toContain('é');
    for (const charset of ['UTF-8', 'UNKNOWN']) {
      expect(failureOf(() => statementOf(document(charset, 0xe9), 'ofx')).message).toContain('Line 2');
    }
  });

  test('bank_import: JSON is the body of the API or its list', () => {
    const rows = [{ place: 'transaction 1', members: GOOD }];
    expect(readJson(JSON.stringify([GOOD]))).toEqual({ rows, mistakes: [] });
    expect(readJson(JSON.stringify({ transactions: [GOOD] }))).toEqual({ rows, mistakes: [] });
    expect(readJson(`["${CANARY}"]`)).toEqual({
      rows: [],
      mistakes: [{ place: 'transaction 1', member: undefined, reason: 'must be an object' }],
    });
    for (const text of [`{"${CANARY}": 1}`, `"${CANARY}"`, `{"${CANARY}`, 'null']) {
      expect(textOf(failureOf(() => readJson(text)))).not.toContain(CANARY);
    }
  });
});

describe('existing rows', () => {
  const THERE = aBankTransaction({
    account_id: 'acct_1',
    amount: '5.10',
    date: '2026-01-01',
    description: 'Tea',
  });
  const AGAIN = { account_id: 'acct_1', amount: '-5.10', date: '2026-01-01', description: 'Tea' };
  const leftOf = (rows: Record<string, unknown>[], ...there: BankTransaction[]) =>
    withoutKnown(rowsOf(...rows), there).map(({ place }) => place);

  test('bank_import: a row without an id is skipped for each equal transaction of the link', () => {
    expect(leftOf([AGAIN, AGAIN, AGAIN], THERE, { ...THERE, transaction_id: 'txn_2' })).toEqual(['line 4']);
    const full = { ...AGAIN, amount: '5.10', type: 'debit', currency: 'USD', pending: false, category: null };
    expect(leftOf([full], THERE)).toEqual([]);
    const timed = { ...AGAIN, date: '2026-01-01T10:00:00Z' };
    expect(leftOf([timed], { ...THERE, datetime: '2026-01-01T10:00:00Z' })).toEqual([]);
  });

  test.each<[string, Record<string, unknown>]>([
    ['account', { account_id: 'acct_2' }],
    ['direction', { amount: '5.10' }],
    ['amount', { amount: '-5.11' }],
    ['day', { date: '2026-01-02' }],
    ['moment', { date: '2026-01-01T10:00:00Z' }],
    ['datetime', { datetime: '2026-01-01T10:00:00Z' }],
    ['text', { description: 'Tee' }],
    ['raw text', { raw_description: 'TEA' }],
    ['category', { category: 'food' }],
    ['currency', { currency: 'EUR' }],
    ['state', { pending: true }],
    ['id', { transaction_id: 'txn_2' }],
  ])('bank_import: a row with another %s is not an existing one', (_, other) => {
    expect(leftOf([{ ...AGAIN, ...other }], THERE)).toEqual(['line 2']);
  });

  test('bank_import: what a row of the file replaces by its id stands for no other row', () => {
    expect(leftOf([{ ...AGAIN, transaction_id: 'txn_1' }, AGAIN], THERE)).toEqual(['line 2', 'line 3']);
  });
});

describe('rows that repeat an earlier one', () => {
  const A = { ...GOOD, transaction_id: 'a' };
  const ROWS = rowsOf(A, { ...A, amount: '6' }, GOOD, GOOD, { ...GOOD, transaction_id: 'b' }, A);
  const placesOf = (rows: readonly StatementRow[]) => rows.map(({ place }) => place);

  test('bank_import: without a choice they are mistakes that name both rows', () => {
    const { rows, mistakes } = settleRepeats(ROWS, undefined);
    expect(rows).toEqual(ROWS);
    expect(mistakes).toEqual(
      ['line 3', 'line 7'].map((place) => ({
        place,
        member: 'transaction_id',
        reason: 'is that of line 2 too',
      })),
    );
  });

  test('bank_import: skip leaves them out, those without an id if they are equal', () => {
    const { rows, mistakes } = settleRepeats(ROWS, 'skip');
    expect(placesOf(rows)).toEqual(['line 2', 'line 4', 'line 6']);
    expect(mistakes).toEqual([]);
    expect(settleRepeats(rowsOf(GOOD, { ...GOOD, amount: '6' }), 'skip').rows).toHaveLength(2);
  });

  test('bank_import: keep imports all, the later ones without the id', () => {
    const { rows, mistakes } = settleRepeats(ROWS, 'keep');
    expect(placesOf(rows)).toEqual(placesOf(ROWS));
    expect(rows.map(({ members }) => members['transaction_id'])).toEqual([
      'a',
      undefined,
      undefined,
      undefined,
      'b',
      undefined,
    ]);
    expect(mistakes).toEqual([]);
  });
});

describe('accounts', () => {
  const ACCOUNTS = [
    { id: 'acct_1', mask: '1234' },
    { id: 'acct_2', mask: '9876' },
    { id: 'acct_3', mask: null },
  ];
  const NUMBER = '55501234';
  const ofx = (...numbers: string[]): StatementRow[] =>
    numbers.map((bankAccount) => ({ place: 'transaction 1', bankAccount, members: {} }));
  const idsOf = (rows: readonly StatementRow[]) => rows.map(({ members }) => members['account_id']);

  test('bank_import: a row’s own account, else --account, else the only one of the link', () => {
    const rows = rowsOf({ account_id: 'acct_2' }, {}, { account_id: null });
    expect(idsOf(assignAccounts(rows, { accounts: ACCOUNTS, chosen: 'acct_1' }))).toEqual([
      'acct_2',
      'acct_1',
      'acct_1',
    ]);
    expect(idsOf(assignAccounts(rows, { accounts: ACCOUNTS, chosen: undefined }))).toEqual([
      'acct_2',
      undefined,
      null,
    ]);
    const only = assignAccounts(rowsOf({}), { accounts: ACCOUNTS.slice(0, 1), chosen: undefined });
    expect(idsOf(only)).toEqual(['acct_1']);
  });

  test('bank_import: a bank’s number goes to the one account whose mask it ends with', () => {
    const rows = assignAccounts(ofx(NUMBER, 'XX-9876'), { accounts: ACCOUNTS, chosen: undefined });
    expect(idsOf(rows)).toEqual(['acct_1', 'acct_2']);
    expect(idsOf(assignAccounts(ofx('00000000'), { accounts: ACCOUNTS, chosen: 'acct_3' }))).toEqual([
      'acct_3',
    ]);
  });

  test.each<[string, StatementRow[], typeof ACCOUNTS, string | undefined]>([
    ['no mask', ofx('55500000'), ACCOUNTS, undefined],
    ['too few digits', ofx('234'), [{ id: 'acct_1', mask: '234' }], undefined],
    ['no number', ofx(''), [{ id: 'acct_1', mask: '' }], undefined],
    ['two masks', ofx(NUMBER), [...ACCOUNTS, { id: 'acct_4', mask: '1234' }], undefined],
    ['an account of another link', ofx(NUMBER), ACCOUNTS, CANARY],
    ['one account for two numbers', ofx(NUMBER, '55509876'), ACCOUNTS, 'acct_1'],
  ])('bank_import: %s: refused, and no number is shown', (_, rows, accounts, chosen) => {
    const failure = failureOf(() => assignAccounts(rows, { accounts, chosen }));
    expect(failure.exitCode).toBe(7);
    expect(textOf(failure)).not.toMatch(/5550|Zanzibar/);
  });

  test('bank_import: the masks are listed where none fits', () => {
    expect(
      failureOf(() => assignAccounts(ofx('55500000'), { accounts: ACCOUNTS, chosen: undefined })).context,
    ).toEqual({ acct_1: 'mask 1234', acct_2: 'mask 9876', acct_3: 'mask unknown' });
  });
});

describe('the report', () => {
  test('bank_import: the first fifty mistakes are listed, and how many more there are', () => {
    const mistakes = Array.from({ length: 52 }, (_, index) => ({
      place: `line ${Math.floor(index / 2) + 2}`,
      member: index % 2 === 0 ? 'amount' : 'date',
      reason: 'is missing',
    }));
    const failure = rowsRefused(mistakes);
    expect(failure.message).toBe(
      'Nothing was imported: 52 mistakes in 26 rows; the first 50 are listed, 2 more are not',
    );
    expect(Object.keys(failure.context ?? {})).toHaveLength(50);
    expect(failure.context).toMatchObject({ 'line 2, amount': 'is missing', 'line 26, date': 'is missing' });
    expect(rowsRefused(mistakes.slice(0, 1)).message).toBe('Nothing was imported: 1 mistake in 1 row');
    const refused = mistakes.slice(0, 50);
    expect(rowsRefused(refused, { refused }).message).toBe(
      'Nothing was imported: at least 50 mistakes in 25 rows',
    );
  });

  test('bank_import: what the daemon says of rows is reported by their places in the file', () => {
    const error = new ApiError({
      code: 'invalid_request',
      message: 'Rows are wrong',
      status: 400,
      context: {
        'transactions[1].amount': 'no',
        'transactions[0]': 'never',
        'transactions[9].date': 'x',
        other: 'y',
      },
      requestId: 'req_1',
    });
    expect(mistakesOf(error, rowsOf(GOOD, GOOD))).toEqual([
      { place: 'line 3', member: 'amount', reason: 'no' },
      { place: 'line 2', member: undefined, reason: 'never' },
    ]);
    const other = new ApiError({ code: 'link_disconnected', message: 'x', status: 409 });
    expect(() => mistakesOf(other, [])).toThrow(other);
  });

  test('bank_import: the limit is that of the contract to the byte, and how many rows would fit is reported', () => {
    const body = (description: string) =>
      Buffer.byteLength(JSON.stringify({ transactions: [{ description }, GOOD] }));
    const room = IMPORT_LIMIT_BYTES - body('');
    const whole = 'é'.repeat(Math.floor(room / 2)) + (room % 2 === 1 ? 'x' : '');
    expect(body(whole)).toBe(IMPORT_LIMIT_BYTES);
    expect(() => checkSize(rowsOf({ description: whole }, GOOD))).not.toThrow();
    const failure = failureOf(() => checkSize(rowsOf({ description: `${whole}x` }, GOOD)));
    expect(failure.message).toContain(`${IMPORT_LIMIT_BYTES + 1} bytes`);
    expect(failure.message).toContain('the first 1 of 2 rows would fit');
    expect(failure.exitCode).toBe(7);
  });

  test('bank_import: a row that is too large by itself is named, as no split of the file helps', () => {
    const failure = failureOf(() => checkSize(rowsOf(GOOD, { description: 'x'.repeat(IMPORT_LIMIT_BYTES) })));
    expect(failure.message).toMatch(/^Nothing was sent: line \d+ alone is more than an import takes/);
    expect(failure.hint).not.toContain('split');
  });
});

test('bank_import: a summary with exact sums of each currency', () => {
  const rows = rowsOf(
    { ...GOOD, amount: '-0.1', date: '2026-01-03T10:00:00Z' },
    { ...GOOD, amount: '0.2', type: 'debit' },
    { ...GOOD, amount: '0.3001', account_id: 'acct_2' },
    { ...GOOD, amount: '999999999999.99', currency: 'EUR', date: '2025-12-31' },
  );
  const summary = summarize(rows, { known: 0, isDryRun: false });
  expect(summary).toEqual({
    dry_run: false,
    transactions: 4,
    imported: 4,
    known: 0,
    accounts: [
      { account_id: 'acct_1', transactions: 3 },
      { account_id: 'acct_2', transactions: 1 },
    ],
    first_date: '2025-12-31',
    last_date: '2026-01-03',
    totals: [
      { currency: 'EUR', debits: '0.00', credits: '999999999999.99', net: '999999999999.99' },
      { currency: 'USD', debits: '0.30', credits: '0.3001', net: '0.0001' },
    ],
  });
  expect(summarize(rows, { known: 1, isDryRun: true })).toMatchObject({
    dry_run: true,
    imported: 0,
    known: 1,
  });
  const again = summarize(rows, { known: 3, isDryRun: false });
  expect(again).toMatchObject({ transactions: 4, imported: 1, known: 3 });
  expect(importView(again, PLAIN)).toMatch(/^imported +1 transaction\nknown +3, already present/);
  expect(importView(summary, PLAIN)).toBe(
    [
      'imported  4 transactions',
      'dates     2025-12-31 to 2026-01-03',
      'accounts  acct_1: 3',
      '          acct_2: 1',
      '',
      'DEBITS          CREDITS              NET  CURRENCY',
      '  0.00  999999999999.99  999999999999.99  EUR',
      '  0.30           0.3001           0.0001  USD',
    ].join('\n'),
  );
});
