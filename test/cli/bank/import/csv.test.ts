/** Statements as CSV: amounts, dates, columns, and the messages about a wrong file. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  readAmount,
  dateReader,
  fittingFormats,
  readIsoDate,
} from '../../../../src/cli/bank/import/cells.ts';
import { parseColumnNames } from '../../../../src/cli/bank/import/columns.ts';
import { dateHint, readCsv, type CsvOptions } from '../../../../src/cli/bank/import/csv.ts';
import { CliError, UsageError } from '../../../../src/cli/shell/failure.ts';

const OPTIONS: CsvOptions = { columns: new Map(), readDate: readIsoDate, hasDecimalComma: false };
const read = (text: string, options: Partial<CsvOptions> = {}) => readCsv(text, { ...OPTIONS, ...options });
const refusal = (work: () => unknown): CliError => {
  try {
    work();
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error('It was not refused');
};

describe('amounts', () => {
  test.each([
    ['12.5', '12.5'],
    ['-1,234.50', '-1234.50'],
    ['1,234,567', '1234567'],
    ["1'234.50", '1234.50'],
    ['1\u202f234.5', '1234.5'],
    ['(45.00)', '-45.00'],
    ['($1,000.00)', '-1000.00'],
    ['12.00-', '-12.00'],
    ['\u22125.00', '-5.00'],
    ['-$5', '-5'],
    ['$ -5', '-5'],
    ['+7.1234', '7.1234'],
    ['.50', '0.50'],
    ['007.10', '7.10'],
    ['999999999999.9999', '999999999999.9999'],
  ])('bank_import: with a decimal point %j is %s', (text, decimal) => {
    expect(readAmount(text, false)?.text).toBe(decimal);
  });

  test.each([
    ['1.234,56', '1234.56'],
    ['-1.234.567,8', '-1234567.8'],
    ['1 234,50 €', '1234.50'],
    ['1.234', '1234'],
    ['12,3456', '12.3456'],
  ])('bank_import: with a decimal comma %j is %s', (text, decimal) => {
    expect(readAmount(text, true)?.text).toBe(decimal);
  });

  test.each([
    ...['', '-', 'x', '1,50', '12,34.00', '1,2345', '1.23456', '1.2.3', '1e5', '0x10', 'NaN', '--5', '-5-'],
    ...['(-5)', '5.', '1234567890123', '$5€', 'USD 5 USD', '1,234 567', '5 5', '\u0665', '1'.repeat(65)],
  ])('bank_import: %j is not an amount', (text) => {
    expect(readAmount(text, false)).toBeUndefined();
  });

  test.each([
    ['5 EUR', 'EUR'],
    ['£5', 'GBP'],
    ['5', undefined],
    ['$5', undefined],
  ])('bank_import: beside %j stands the currency %s', (text, currency) => {
    expect(readAmount(text, false)?.currency).toBe(currency);
  });

  test('bank_import: a decimal reads as itself, with a point as with a comma and groups', () => {
    const part = fc.option(fc.stringMatching(/^\d{1,4}$/), { nil: undefined });
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 999_999_999_999n }),
        part,
        fc.boolean(),
        (whole, decimals, isNegative) => {
          const sign = isNegative ? '-' : '';
          const grouped = String(whole).replace(/\B(?=(\d{3})+$)/g, '.');
          const expected = `${sign}${whole}${decimals === undefined ? '' : `.${decimals}`}`;
          expect(readAmount(expected, false)?.text).toBe(expected);
          const written = `${sign}${grouped}${decimals === undefined ? '' : `,${decimals}`}`;
          expect(readAmount(written, true)?.text).toBe(expected);
        },
      ),
    );
  });
});

describe('dates', () => {
  test.each([
    ['2026-01-31', '2026-01-31'],
    ['2026-01-31T10:00:00Z', '2026-01-31T10:00:00Z'],
    ['2026-01-31 10:00:00 +0530', '2026-01-31T10:00:00+05:30'],
    ['2026-01-31 10:00:00', '2026-01-31'],
    ['2024-02-29', '2024-02-29'],
    ['2025-02-29', undefined],
    ['2026-13-01', undefined],
    ['2026-01-31T10:00Z', '2026-01-31T10:00:00Z'],
    ['2026-01-31T24:00:00Z', undefined],
    ['2026-01-31T10:00:00+99:00', undefined],
    ['31/01/2026', undefined],
    ['20260131', undefined],
    ['', undefined],
  ])('bank_import: without a format %j is %s', (text, date) => {
    expect(readIsoDate(text)).toBe(date);
  });

  test.each([
    ['MM/DD/YYYY', '01/31/2026', '2026-01-31'],
    ['DD.MM.YYYY', '31.01.2026', '2026-01-31'],
    ['D.M.YY', '3.2.26', '2026-02-03'],
    ['YYYYMMDD', '20260131', '2026-01-31'],
    ['DD MMM YYYY', '31 Jan 2026', '2026-01-31'],
    ['MMM D, YYYY', 'feb 3, 2026', '2026-02-03'],
    ['DD.MM.YYYY HH:mm', '31.01.2026 23:59', '2026-01-31'],
    ['MM/DD/YYYY', '31/01/2026', undefined],
    ['MM/DD/YYYY', '1/31/2026', undefined],
    ['DD.MM.YYYY', '30.02.2026', undefined],
    ['DD.MM.YYYY', '31x01x2026', undefined],
    ['DD MMM YYYY', '31 Xyz 2026', undefined],
  ])('bank_import: by %s %j is %s', (format, text, date) => {
    expect(dateReader(format)?.(text)).toBe(date);
  });

  test.each(['', 'DD.MM', 'YYYY', 'DD.DD.YYYY', 'YYYY YY MM', 'tomorrow'])(
    'bank_import: %j is not a date format',
    (format) => {
      expect(dateReader(format)).toBeUndefined();
    },
  );

  test('bank_import: formats that read all dates of a file are named, both where two do', () => {
    expect(fittingFormats(['01/31/2026', '02/01/2026'])).toEqual(['MM/DD/YYYY']);
    expect(fittingFormats(['01/02/2026'])).toEqual(['MM/DD/YYYY', 'DD/MM/YYYY']);
    expect(fittingFormats(['1.2.2026', '31.12.2026'])).toEqual(['D.M.YYYY']);
    expect(fittingFormats(['yesterday'])).toEqual([]);
  });
});

const PLAIN = [
  ...[
    'account_id,amount,date,description,transaction_id,type,category,currency,pending,datetime,raw_description',
  ],
  ...['acct_1,12.50,2026-01-31,Tea,t-1,debit,food,EUR,true,2026-01-31T10:00:00Z,TEA 1', ''],
].join('\n');

describe('tables', () => {
  test('bank_import: columns named as the members are taken as they are', () => {
    expect(read(PLAIN)).toEqual({
      rows: [
        {
          place: 'line 2',
          members: {
            account_id: 'acct_1',
            amount: '12.50',
            date: '2026-01-31',
            description: 'Tea',
            transaction_id: 't-1',
            type: 'debit',
            category: 'food',
            currency: 'EUR',
            pending: true,
            datetime: '2026-01-31T10:00:00Z',
            raw_description: 'TEA 1',
          },
        },
      ],
      mistakes: [],
    });
  });

  test.each([
    ['commas', 'Transaction Date,Payee,Memo,Amount,Reference\n2026-01-31,Tea,TEA 1,-5,r1'],
    ['semicolons', 'TRANSACTION DATE;PAYEE;MEMO;AMOUNT;REFERENCE\n2026-01-31;Tea;TEA 1;-5;r1'],
    ['tabs', 'date\tname\tnotes\ttransaction amount\tid\n2026-01-31\tTea\tTEA 1\t-5\tr1'],
    ['CRLF', 'Date,Payee,Memo,Amount,Id\r\n2026-01-31,Tea,TEA 1,-5,r1\r\n'],
    ['CR', 'Date,Payee,Memo,Amount,Id\r2026-01-31,Tea,TEA 1,-5,r1'],
    ['quotes', '"Date","Payee","Memo","Amount","Id"\n"2026-01-31","Tea","TEA 1","-5","r1"'],
    [
      'other columns and empty cells at the end',
      'Date,Payee,Balance,Memo,Amount,Id\n2026-01-31,Tea,9,TEA 1,-5,r1,,',
    ],
  ])('bank_import: %s', (_, text) => {
    expect(read(text)).toEqual({
      rows: [
        {
          place: 'line 2',
          members: {
            amount: '-5',
            date: '2026-01-31',
            description: 'Tea',
            raw_description: 'TEA 1',
            transaction_id: 'r1',
          },
        },
      ],
      mistakes: [],
    });
  });

  test.each([
    ['\n', 'Tea for two'],
    ['\r\n', 'Tea for two'],
  ])(
    'bank_import: a row has the number of the line it begins on, whatever its texts hold (%j)',
    (end, text) => {
      const lines = [
        'date,description,amount',
        '2026-01-01,"Tea',
        'for two",1',
        '',
        '2026-01-02,x,y',
        ',,',
        '2026-01-03,z,?',
      ];
      const { rows, mistakes } = read(lines.join(end));
      expect(rows.map(({ place }) => place)).toEqual(['line 2', 'line 5', 'line 7']);
      expect(rows[0]?.members['description']).toBe(text);
      expect(mistakes.map(({ place, member }) => [place, member])).toEqual([
        ['line 5', 'amount'],
        ['line 7', 'amount'],
      ]);
    },
  );

  test('bank_import: a pair of columns gives the direction, a zero on the other side nothing', () => {
    const text = [
      'date,description,Debit,Credit',
      ...[
        '2026-01-01,a,5.00,',
        '2026-01-01,b,,6.00',
        '2026-01-01,c,-7.00,0.00',
        '2026-01-01,d,1,2',
        '2026-01-01,e,,',
        '2026-01-01,f,,-8.00',
        '2026-01-01,g,,-0.00',
      ],
    ].join('\n');
    const { rows, mistakes } = read(text);
    expect(rows.map(({ members }) => [members['amount'], members['type']])).toEqual([
      ['5.00', 'debit'],
      ['6.00', 'credit'],
      ['7.00', 'debit'],
      [undefined, undefined],
      [undefined, undefined],
      [undefined, undefined],
      ['-0.00', 'credit'],
    ]);
    expect(mistakes).toEqual([
      { place: 'line 5', member: 'amount', reason: 'is in both columns, debit and credit' },
      { place: 'line 7', member: 'amount', reason: 'is negative in the credit column' },
    ]);
  });

  test('bank_import: a state says what is pending; --columns leaves out a column that is found by its name', () => {
    const text =
      'date,description,amount,Status\n2026-01-01,a,5,Pending\n2026-01-02,b,5,POSTED\n2026-01-02,c,5,?';
    const { rows, mistakes } = read(text);
    expect(rows.map(({ members }) => members['pending'])).toEqual([true, false, undefined]);
    expect(mistakes).toMatchObject([{ place: 'line 4', member: 'pending' }]);
    const { rows: left } = read(text, { columns: parseColumnNames(['pending=']) });
    expect(left.map(({ members }) => 'pending' in members)).toEqual([false, false, false]);
  });

  test('bank_import: a column is taken for one member only', () => {
    const { rows } = read('date,memo,amount\n2026-01-01,Tea,5');
    expect(rows[0]?.members).toEqual({ date: '2026-01-01', description: 'Tea', amount: '5' });
  });

  test("bank_import: a currency beside the amount counts, and may not differ from the column's", () => {
    const { rows, mistakes } = read(
      [
        'date,description,amount,currency',
        '2026-01-01,a,5 €,',
        '2026-01-01,b,5 CHF,EUR',
        '2026-01-01,c,$5,CAD',
      ].join('\n'),
    );
    expect(rows.map(({ members }) => members['currency'])).toEqual(['EUR', undefined, 'CAD']);
    expect(mistakes).toMatchObject([{ place: 'line 3', member: 'currency' }]);
  });

  test('bank_import: --columns names columns of any language, and leaves members out', () => {
    const columns = parseColumnNames([
      'date=Buchungstag,amount=Betrag (€)',
      'description=Verwendungszweck,type=',
    ]);
    const readDate = dateReader('DD.MM.YYYY');
    const { rows } = read('Buchungstag;Type;Verwendungszweck;Betrag (€)\n31.01.2026;KARTE;Tee;-1.234,56', {
      columns,
      readDate: readDate ?? readIsoDate,
      hasDecimalComma: true,
    });
    expect(rows[0]?.members).toEqual({ date: '2026-01-31', description: 'Tee', amount: '-1234.56' });
  });

  test.each(['', 'date', 'day=x', 'date=a,date=b', '=x'])('bank_import: --columns %j is refused', (text) => {
    expect(() => parseColumnNames([text])).toThrow(UsageError);
  });
});

describe('what is wrong', () => {
  const CANARY = 'Zanzibar-4711';
  const HEAD = 'date,description,amount,type,pending';

  test.each([
    ['an empty file', '', 'The file is empty: its first line must be a header'],
    ['no header', `2026-01-01,${CANARY},5`, 'not a header with columns for: date, description, amount'],
    ['lines before the header', `"Owner";"${CANARY}"\ndate;amount\n`, 'not a header with columns for: date'],
    ['no amount', `date,description,${CANARY}\n`, 'not a header with columns for: amount'],
    [
      'the same column twice',
      `date,description,amount,amount\n2026-01-01,${CANARY},5,6`,
      'have the same title',
    ],
    [
      'a text without an end',
      `${HEAD}\n2026-01-01,a,5,,\n2026-01-01,"${CANARY},5`,
      'begins in line 3 is not closed',
    ],
    ['a quote in a text', `${HEAD}\n2026-01-01,x"${CANARY}",5,,`, 'A quote in line 2 is not allowed there'],
    [
      'a text after a quote',
      `${HEAD}\n2026-01-01,"x"${CANARY},5,,`,
      'A quote in line 2 is not allowed there',
    ],
  ])('bank_import: %s is refused as a whole', (_, text, message) => {
    const failure = refusal(() => read(text));
    expect(failure).toMatchObject({ code: 'statement_refused', exitCode: 7 });
    expect(failure.message).toContain(message);
    expect(JSON.stringify([failure.message, failure.hint, failure.context])).not.toContain(CANARY);
  });

  test('bank_import: a column that --columns names must exist', () => {
    const columns = parseColumnNames([`date=${CANARY}`]);
    const failure = refusal(() => read(`${HEAD}\n`, { columns }));
    expect(failure.message).toBe('The file has no column with the name that --columns gives for date');
  });

  test('bank_import: everything wrong with every row is reported, by line and member, without values', () => {
    const rows = [
      `2026-02-30,${CANARY},5,,`,
      `2026-01-01,${CANARY},${CANARY},${CANARY},${CANARY}`,
      `2026-01-01,${CANARY},5`,
      `2026-01-01,a,5,,,${CANARY}`,
      '2026-01-01,a,"1,50",,',
    ];
    const { mistakes } = read([HEAD, ...rows].join('\n'));
    expect(mistakes.map(({ place, member }) => [place, member])).toEqual([
      ['line 2', 'date'],
      ['line 3', 'amount'],
      ['line 3', 'type'],
      ['line 3', 'pending'],
      ['line 4', undefined],
      ['line 5', undefined],
      ['line 6', 'amount'],
    ]);
    expect(mistakes.at(-1)?.reason).toContain('--decimal-comma');
    expect(JSON.stringify(mistakes)).not.toContain(CANARY);
  });

  test('bank_import: a date that could be two is refused, and both readings are shown', () => {
    const text = 'date,description,amount\n01/02/2026,a,5';
    expect(read(text).mistakes).toMatchObject([{ place: 'line 2', member: 'date' }]);
    expect(dateHint(text, OPTIONS)).toBe(
      '--date-format MM/DD/YYYY and --date-format DD/MM/YYYY read all dates of the file: choose one',
    );
  });

  test('bank_import: dates that some lines have in the right format show that other lines are not transactions', () => {
    const text = 'date,description,amount\n2026-01-02,a,5\nTotal,,5';
    expect(dateHint(text, OPTIONS)).toContain('lines that are not transactions');
    expect(dateHint(text.replace('2026-01-02', '2 I 26'), OPTIONS)).toContain('--date-format gives');
    expect(dateHint(text.replace('Total', '2026-02-30'), OPTIONS)).toBeUndefined();
  });
});
