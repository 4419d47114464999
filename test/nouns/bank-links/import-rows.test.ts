/** What a row of an import may hold, and how the service reads it (contract §7.4). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeRows } from '../../../src/nouns/bank-links/service/import-rows.ts';
import { words } from '../../support/words.ts';

const ACCOUNT = 'acct_checking';
const OTHER_ACCOUNT = 'acct_savings';
const INVESTMENT = 'itxn_1';
const TARGET = {
  accounts: new Set([ACCOUNT, OTHER_ACCOUNT]),
  isInvestment: (id: string) => id === INVESTMENT,
};
const JAN_15 = Date.UTC(2026, 0, 15) / 86_400_000;

type Row = Record<string, unknown>;
const aRow = (members: Row = {}): Row => ({
  account_id: ACCOUNT,
  amount: '-12.50',
  date: '2026-01-15',
  description: 'Books',
  ...members,
});
const judge = (...rows: Row[]) => judgeRows(rows, TARGET);

function read(members: Row) {
  const { rows, reasons } = judge(aRow(members));
  expect(reasons).toEqual({});
  const [row] = rows;
  if (!row) throw new Error('nothing was read');
  return row;
}

const reasonsOf = (members: Row) => judge(aRow(members)).reasons;

test('import: a row of the four that are required has the defaults of the others', () => {
  expect(read({})).toEqual({
    account_id: ACCOUNT,
    transaction_id: undefined,
    day: JAN_15,
    pending: false,
    details: {
      type: 'debit',
      amount: '12.50',
      currency: 'USD',
      date: '2026-01-15',
      datetime: null,
      description: 'Books',
      raw_description: null,
      category: null,
      enrichment: null,
    },
  });
});

test('import: a row with every member keeps them', () => {
  const row = {
    account_id: OTHER_ACCOUNT,
    amount: '7.1',
    date: '2026-01-15',
    description: 'Rent',
    type: 'debit',
    transaction_id: 'a.B_c-9',
    raw_description: 'RENT 01/26',
    category: 'housing',
    currency: 'EUR',
    pending: true,
    datetime: '2026-01-14T23:30:00-05:00',
  };
  const { account_id, transaction_id, pending, ...details } = row;
  expect(read(row)).toEqual({
    account_id,
    transaction_id,
    pending,
    day: JAN_15,
    details: { ...details, enrichment: null },
  });
});

test('import: null is as good as absent, and other members are ignored', () => {
  const absent = ['transaction_id', 'type', 'raw_description', 'category', 'currency', 'pending', 'datetime'];
  const nulls = Object.fromEntries(absent.map((member) => [member, null]));
  expect(read({ ...nulls, balance: 3, __proto__x: [], enrichment: { category: 'x' } })).toEqual(read({}));
});

test.each([
  ['10.5', '10.5', 'credit'],
  ['-10.5', '10.5', 'debit'],
  ['0', '0', 'credit'],
  // A zero has no sign.
  ['-0', '0', 'credit'],
  ['-0.00', '0.00', 'credit'],
  ['007.10', '007.10', 'credit'],
  ['-0.0001', '0.0001', 'debit'],
  ['999999999999.9999', '999999999999.9999', 'credit'],
])('import: amount %s is %s, %s', (amount, unsigned, type) => {
  expect(read({ amount }).details).toMatchObject({ amount: unsigned, type });
});

describe('type', () => {
  test.each([
    ['5', 'debit', 'debit'],
    ['5', 'credit', 'credit'],
    ['-5', 'debit', 'debit'],
    ['-0.00', 'credit', 'credit'],
    ['-0.00', 'debit', 'debit'],
  ])('import: amount %s of type %s is a %s', (amount, type, expected) => {
    expect(read({ amount, type }).details).toMatchObject({ amount: amount.replace('-', ''), type: expected });
  });

  test('import: a negative amount is no credit', () => {
    expect(reasonsOf({ amount: '-0.01', type: 'credit' })).toEqual({
      'transactions[0].type': 'is credit, and the amount is negative',
    });
  });

  test('import: only the malformed amount of a credit is reported', () => {
    expect(Object.keys(reasonsOf({ amount: '-1,5', type: 'credit' }))).toEqual(['transactions[0].amount']);
  });
});

describe('date and datetime', () => {
  test.each(['2026-01-15', '2024-02-29', '2000-02-29', '1970-01-01', '1969-12-31', '9999-12-31'])(
    'import: date %s is its day',
    (date) => {
      const row = read({ date });
      expect(row.day).toBe(Date.parse(date) / 86_400_000);
      expect(row.details).toMatchObject({ date, datetime: null });
    },
  );

  test.each([
    '2026-01-15T00:00:00Z',
    '2026-01-15T23:59:59.123456789Z',
    // The day is the one in the text, whatever day that is in UTC.
    '2026-01-15T23:30:00-05:00',
    '2026-01-15T00:30:00+14:00',
    '2026-01-15t10:00:00z',
  ])('import: date %s is the day that is written, and the datetime as it was sent', (date) => {
    const row = read({ date });
    expect(row.day).toBe(JAN_15);
    expect(row.details).toMatchObject({ date: '2026-01-15', datetime: date });
  });

  test('import: a datetime of its own wins over that of the date, null does not', () => {
    const date = '2026-01-15T10:00:00Z';
    const datetime = '2026-01-16T08:00:00+02:00';
    expect(read({ date, datetime }).details).toMatchObject({ date: '2026-01-15', datetime });
    expect(read({ date, datetime: null }).details).toMatchObject({ date: '2026-01-15', datetime: date });
  });
});

describe('texts', () => {
  const LENGTHS: [member: string, least: number, most: number][] = [
    ['description', 1, 512],
    ['raw_description', 0, 512],
    ['category', 1, 128],
  ];

  test.each(LENGTHS)('import: %s takes %i to %i characters as they are', (member, least, most) => {
    const texts = ['x'.repeat(least), 'x'.repeat(most), ' Zoë’s 本屋 📚 ', '=1+1', '<b>'];
    for (const text of texts) expect(read({ [member]: text }).details).toMatchObject({ [member]: text });
  });

  test.each(LENGTHS)('import: %s of another length or kind is refused', (member, least, most) => {
    const reason = `must be a text of ${least} to ${most} characters`;
    const wrong = ['x'.repeat(most + 1), 5, false, ['x'], {}, ...(least > 0 ? [''] : [])];
    for (const value of wrong) {
      expect(reasonsOf({ [member]: value })).toEqual({ [`transactions[0].${member}`]: reason });
    }
  });

  test.each(LENGTHS)('import: %s holds no control character', (member) => {
    for (const character of ['\0', '\t', '\n', '\r', '\x1b', '\x1f', '\x7f']) {
      expect(reasonsOf({ [member]: `a${character}b` })).toEqual({
        [`transactions[0].${member}`]: 'contains a control character',
      });
    }
  });
});

describe('transaction_id', () => {
  test.each(['a', '0', '.', '-', '_', 'aZ09_.-', 'txn_1', 'x'.repeat(128), '__proto__', 'constructor'])(
    'import: %s is an id',
    (id) => {
      expect(read({ transaction_id: id }).transaction_id).toBe(id);
    },
  );

  test('import: one that comes twice is refused on the later rows', () => {
    const rows = ['a', 'b', 'a', 'A', 'a'].map((transaction_id) => aRow({ transaction_id }));
    const reason = 'is that of an earlier row too';
    expect(judge(...rows)).toMatchObject({
      wrong: 2,
      reasons: { 'transactions[2].transaction_id': reason, 'transactions[4].transaction_id': reason },
    });
  });

  test('import: one of a row that is wrong elsewhere counts as well', () => {
    const { reasons } = judge(aRow({ transaction_id: 'a', amount: 'x' }), aRow({ transaction_id: 'a' }));
    expect(Object.keys(reasons)).toEqual(['transactions[0].amount', 'transactions[1].transaction_id']);
  });

  test('import: rows without one are no repetition of each other', () => {
    expect(judge(aRow(), aRow(), aRow({ transaction_id: null })).wrong).toBe(0);
  });

  test('import: that of an investment transaction is refused', () => {
    expect(reasonsOf({ transaction_id: INVESTMENT })).toEqual({
      'transactions[0].transaction_id': 'is the id of an investment transaction of this link',
    });
  });
});

const NO_TIMES = [
  '2026-01-15 10:00:00Z',
  '2026-01-15T10:00:00Z\n',
  ...words`
    2026-01-15T 2026-01-15T10:00 2026-01-15T10:00:00 2026-01-15T24:00:00Z 2026-01-15T10:60:00Z
    2026-01-15T10:00:60Z 2026-01-15T10:00:00+24:00 2026-01-15T10:00:00+0100 2026-01-15T10:00:00.Z
    2026-02-30T10:00:00Z 2025-02-29T10:00:00Z
  `,
];
const NO_DATES = words`
  2025-02-30 2025-02-29 1900-02-29 2026-13-01 2026-00-10 2026-01-00
  2026-1-5 15.01.2026 01/15/2026 20260115 +2026-01-15 today
`;
const NO_AMOUNTS = words`- +1 1. .5 1,5 1.23456 1234567890123 1e3 0x1 --1 ٣`;

test.each<[member: string, reason: string, values: unknown[]]>([
  [
    'amount',
    'must be a text of up to 12 digits, with up to 4 decimals',
    ['', ' 1', '1 ', '1\n', ...NO_AMOUNTS, 10.5, 10, true, ['1'], { amount: '1' }],
  ],
  ['type', 'must be debit or credit', ['', 'DEBIT', 'debit ', 'transfer', 1, false, ['debit']]],
  [
    'date',
    'must be a real date, YYYY-MM-DD, or a date-time with Z or an offset',
    ['', '2026-01-15 ', ...NO_DATES, ...NO_TIMES, 20260115, 0, true, {}],
  ],
  [
    'datetime',
    'must be a real date-time in ISO 8601 form, with Z or an offset',
    [...NO_TIMES, '2026-01-15', '', 0, {}],
  ],
  [
    'transaction_id',
    'must be 1 to 128 of the characters A-Z, a-z, 0-9, _, . and -',
    ['', 'x'.repeat(129), 'a b', 'a/b', 'a:b', 'é', 'a\n', 7, true, ['a']],
  ],
  [
    'account_id',
    'is not an account of this link',
    ['', 'acct_other', `${ACCOUNT} `, ACCOUNT.toUpperCase(), 5, [ACCOUNT]],
  ],
  ['currency', 'must be three capital letters', ['', 'usd', 'US', 'USDX', 'US1', ' USD', 'USD\n', 840]],
  ['pending', 'must be true or false', ['true', '', 0, 1, []]],
  ...['account_id', 'amount', 'date', 'description'].map((member): [string, string, unknown[]] => [
    member,
    'is required',
    [undefined, null],
  ]),
])('import: %s %s: other values are refused', (member, reason, values) => {
  for (const value of values) {
    expect(reasonsOf({ [member]: value }), String(value)).toEqual({ [`transactions[0].${member}`]: reason });
  }
});

test('import: everything wrong is reported, in the order of rows and members', () => {
  const members = words`
    account_id amount date description transaction_id type raw_description category currency pending datetime
  `;
  const wrong = Object.fromEntries(members.toReversed().map((member) => [member, 1]));
  const judgement = judge(wrong, aRow(), wrong);
  expect(Object.keys(judgement.reasons)).toEqual(
    [0, 2].flatMap((row) => members.map((member) => `transactions[${row}].${member}`)),
  );
  expect([judgement.wrong, judgement.rows.length]).toEqual([2, 1]);
});

test('import: the first fifty of more mistakes are reported, and every wrong row is counted', () => {
  // At most 50 reasons are reported. Twelve rows give 48; four of the thirteenth would make 52.
  const { reasons, wrong } = judge(...Array.from({ length: 200 }, () => ({})));
  expect(Object.keys(reasons)).toHaveLength(50);
  expect(Object.keys(reasons).at(-1)).toBe('transactions[12].amount');
  expect(wrong).toBe(200);
});

test('import: no reason repeats a value', () => {
  const CANARY = 'Zyxwvcanary';
  const values = [`${CANARY}\n`, [CANARY], { [CANARY]: CANARY }, CANARY.repeat(100)];
  const others = words`transaction_id type category currency pending datetime`;
  const members = Object.keys(aRow()).concat(others);
  const rows = members.flatMap((member) => values.map((value) => aRow({ [member]: value })));
  for (const row of rows) {
    const { reasons } = judge(row);
    expect(Object.keys(reasons)).toHaveLength(1);
    expect(JSON.stringify(reasons)).not.toMatch(/canary/i);
  }
});

test('import: whatever JSON a row holds, it is read or refused', () => {
  const members = words`account_id amount date description transaction_id type currency datetime`;
  const anyRow = fc.dictionary(fc.constantFrom(...members), fc.jsonValue());
  fc.assert(
    fc.property(fc.array(fc.oneof(anyRow, anyRow.map(aRow)), { maxLength: 5 }), (rows) => {
      const { rows: fine, reasons, wrong } = judge(...rows);
      expect(fine.length + wrong).toBe(rows.length);
      expect(wrong > 0).toBe(Object.keys(reasons).length > 0);
      for (const { details } of fine) expect(details.amount).toMatch(/^\d{1,12}(\.\d{1,4})?$/);
    }),
  );
});
