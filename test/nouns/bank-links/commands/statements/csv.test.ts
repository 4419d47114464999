/** Statements as CSV: amounts, dates, columns, and the messages about a wrong file. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  readAmount,
  dateReader,
  fittingFormats,
  readIsoDate,
} from '../../../../../src/nouns/bank-links/commands/statements/cells.ts';
import { parseColumnNames } from '../../../../../src/nouns/bank-links/commands/statements/columns.ts';
import {
  dateHint,
  readCsv,
  type CsvOptions,
} from '../../../../../src/nouns/bank-links/commands/statements/csv.ts';
import { UsageError } from '../../../../../src/cli/shell/failure.ts';
import { failureOf } from '../../../../support/failure-of.ts';
import { words } from '../../../../support/words.ts';

const OPTIONS: CsvOptions = { columns: new Map(), readDate: readIsoDate, hasDecimalComma: false };
const read = (text: string, options: Partial<CsvOptions> = {}) => readCsv(text, { ...OPTIONS, ...options });
const placesOf = ({ mistakes }: ReturnType<typeof readCsv>) =>
  mistakes.map(({ place, member }) => `${place} ${member}`);

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
    ['12.50000000', '12.5000'],
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

  const NO_AMOUNTS = words`
    - x 1,50 12,34.00 1,2345 1.23456 1.2.3 1e5 0x10 NaN --5 -5- (-5) 5. 1234567890123 $5€ \u0665
  `.concat('', 'USD 5 USD', '1,234 567', '5 5', '5 DEB', '1'.repeat(65));
  test.each(NO_AMOUNTS)('bank_import: %j is not an amount', (text) => {
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
  'account_id,amount,date,description,transaction_id,type,category,currency,pending,datetime,raw_description',
  'acct_1,12.50,2026-01-31,Tea,t-1,debit,food,EUR,true,2026-01-31T10:00:00Z,TEA 1',
  '',
].join('\n');

describe('tables', () => {
  test('bank_import: columns named as the members are taken as they are', () => {
    const { rows, mistakes } = read(PLAIN);
    const members = {
      account_id: 'acct_1',
      amount: '12.50',
      date: '2026-01-31',
      description: 'Tea',
      type: 'debit',
      transaction_id: 't-1',
      category: 'food',
      currency: 'EUR',
      pending: true,
      datetime: '2026-01-31T10:00:00Z',
      raw_description: 'TEA 1',
    };
    expect({ rows, mistakes }).toEqual({ rows: [{ place: 'line 2', members }], mistakes: [] });
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
    const { rows, mistakes } = read(text);
    const texts = { description: 'Tea', raw_description: 'TEA 1', transaction_id: 'r1' };
    const members = { amount: '-5', date: '2026-01-31', ...texts };
    expect({ rows, mistakes }).toEqual({ rows: [{ place: 'line 2', members }], mistakes: [] });
  });

  test.each(['\n', '\r\n'])(
    'bank_import: a row has the number of the line it begins on, whatever its texts hold (%j)',
    (end) => {
      const text =
        'date,description,amount\n2026-01-01,"Tea\nfor two",1\n\n2026-01-02,x,y\n,,\n2026-01-03,z,?';
      const found = read(text.replaceAll('\n', end));
      expect(found.rows.map(({ place }) => place)).toEqual(['line 2', 'line 5', 'line 7']);
      expect(found.rows[0]?.members['description']).toBe('Tea for two');
      expect(placesOf(found)).toEqual(['line 5 amount', 'line 7 amount']);
    },
  );

  test('bank_import: a pair of columns gives the direction, a zero on the other side nothing', () => {
    const text = [
      'date,description,Debit,Credit',
      '2026-01-01,a,5.00,',
      '2026-01-01,b,,6.00',
      '2026-01-01,c,-7.00,0.00',
      '2026-01-01,d,1,2',
      '2026-01-01,e,,',
      '2026-01-01,f,,-8.00',
      '2026-01-01,g,,-0.00',
    ].join('\n');
    const { rows, mistakes } = read(text);
    expect(rows.map(({ members: { amount, type } }) => amount && [amount, type])).toEqual([
      ['5.00', 'debit'],
      ['6.00', 'credit'],
      ['7.00', 'debit'],
      undefined,
      undefined,
      undefined,
      ['-0.00', 'credit'],
    ]);
    expect(mistakes).toEqual([
      { place: 'line 5', member: 'amount', reason: 'is in both columns, debit and credit' },
      { place: 'line 7', member: 'amount', reason: 'is negative in the credit column' },
    ]);
  });

  test('a mistake leads to its column: that of the member, both of a split amount, none without one', () => {
    const { columnOf } = read('When,Memo,Amount\n1,a,2.00', { columns: parseColumnNames(['date=When']) });
    const columns = ['date', 'amount', 'account_id'].map((member) => columnOf?.(member));
    expect(columns).toEqual([' (column 1)', ' (column 3)', '']);
    expect(read('Date,Debit,Memo,Credit\n1,2.00,a,').columnOf?.('amount')).toBe(' (columns 2 and 4)');
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
    const found = read(
      'date,description,amount,currency\n2026-01-01,a,5 €,\n2026-01-01,b,5 CHF,EUR\n2026-01-01,c,$5,CAD',
    );
    expect(found.rows.map(({ members }) => members['currency'])).toEqual(['EUR', undefined, 'CAD']);
    expect(placesOf(found)).toEqual(['line 3 currency']);
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

describe('directions in words', () => {
  const table = (title: string, ...rows: [amount: string, word: string][]) =>
    ['date,description,amount,' + title, ...rows.map((row) => `2026-01-01,a,${row.join(',')}`)].join('\n');
  const typesOf = (text: string, columns: string[] = []) => {
    const { rows, mistakes } = read(text, { columns: parseColumnNames(columns) });
    expect(mistakes).toEqual([]);
    return rows.map(({ members }) => String(members['type'])).join(' ');
  };

  test.each(
    words`DR/CR Dr./Cr. D/C S/H D/K Af/Bij Debit/Credit -/+ \u2212/+ Soll/Haben Débit/CRÉDIT DBIT/CRDT d/h`,
  )('bank_import: %s are read under any title', (pair) => {
    const [debit = '', credit = ''] = pair.split('/');
    for (const title of ['Type', 'CR/DR', 'Af Bij', 'Kennzeichen', 'Category', '']) {
      const types = typesOf(table(title, ['5', debit], ['6', credit], ['7', debit]));
      expect(types, title).toBe('debit credit debit');
    }
  });

  test('bank_import: --columns names other words, which alone are read', () => {
    const text = table('Richtung', ['5', 'aus'], ['6', 'EIN']);
    const columns = ['type=Richtung:debit=aus,credit=ein'];
    const others = ['description=description,type=richtung:credit=Ein, debit=Aus,amount=amount'];
    const known = table('X', ['5', 'W'], ['6', 'D']);
    expect(typesOf(text, columns)).toBe('debit credit');
    expect(typesOf(text, others)).toBe('debit credit');
    expect(typesOf(known, ['type=X:debit=W,credit=D'])).toBe('debit credit');
    const unknown = table('Richtung', ['5', 'aus'], ['6', 'credit']);
    expect(placesOf(read(unknown, { columns: parseColumnNames(columns) }))).toEqual(['line 3 type']);
  });

  test('bank_import: a column that --columns reads as something else gives no directions', () => {
    expect(typesOf(table('X', ['5', 'S'], ['6', 'H']), ['category=X'])).toBe('undefined undefined');
  });

  test.each([
    'type=X:debit=D',
    'type=X:debit=D,date=Y',
    'type=X:debit=D,debit=C',
    'type=X:debit=D,credit=',
    'type=X:debit=d,credit=D',
    'date=Y,type=X:credit=C',
  ])('bank_import: --columns %s does not name two words', (text) => {
    expect(() => parseColumnNames([text])).toThrow(UsageError);
  });

  test.each<[string, string, string[]]>([
    ['two words that are unknown', table('Richtung', ['5', 'aus'], ['6', 'ein']), []],
    ['one word and nothing', table('X', ['5', 'x'], ['6', '']), []],
    ['codes', table('X', ['5', '1'], ['6', '2']), []],
    ['known words of one direction', table('X', ['5', 'S'], ['6', 'S']), []],
    ['known words among others', table('X', ['5', 'S'], ['6', 'H'], ['7', 'Z']), []],
    ['a column that --columns leaves out', table('type', ['5', 'S'], ['6', 'H']), ['type=']],
    ['two columns of known words', 'date,description,amount,x,y\n2026-01-01,a,5,S,C\n2026-01-01,a,6,H,D', []],
    ['words that contradict the signs', table('X', ['5', 'S'], ['6', 'H'], ['-3', 'S']), []],
  ])('bank_import: %s: refused, with the words as the hint', (_, text, columns) => {
    const failure = failureOf(() => read(text, { columns: parseColumnNames(columns) }));
    expect(failure).toMatchObject({ code: 'statement_refused', exitCode: 7 });
    expect(failure.message).toContain('column 4');
    expect(failure.hint).toContain('type=NAME:debit=WORD,credit=WORD');
  });

  test.each([
    ['numbers', table('Balance', ['5', '105.00'], ['6', '111'])],
    ['dates', table('Value date', ['5', '2026-01-01'], ['6', '02.01.2026'])],
    ['one unknown value', table('Branch', ['5', 'north'], ['6', 'north'])],
    ['three values', table('Branch', ['5', 'north'], ['6', 'south'], ['7', 'west'])],
    ['signs', table('Branch', ['-5', 'north'], ['6', 'south'])],
    ['kinds beside signs', table('Type', ['-5', 'POS'], ['6', 'Transfer'])],
    ['kinds and directions that repeat the signs', table('Type', ['-5', 'Debit'], ['6', 'Interest'])],
  ])('bank_import: a column of %s gives no directions', (_, text) => {
    expect(typesOf(text)).toMatch(/^undefined( undefined)+$/);
  });

  test.each<[string, string, string]>([
    ['no word', table('Type', ['5', 'DR'], ['6', '']), 'line 3'],
    ['no word beside a credit', table('Type', ['5', 'CR'], ['6', '']), 'line 3'],
    ['a word that is unknown', table('Type', ['5', 'DR'], ['6', 'XX']), 'line 3'],
    ['a debit with a plus', table('Type', ['+5', 'DR'], ['6', 'CR']), 'line 2'],
    ['a debit with a minus among others', table('Type', ['5', 'DR'], ['-6', 'DR']), 'line 3'],
  ])('bank_import: %s is a mistake of its row', (_, text, place) => {
    expect(read(text).mistakes).toMatchObject([{ place, member: 'type' }]);
  });

  test('bank_import: an amount beside a pair of columns takes its direction from them, or is refused', () => {
    const text = [
      'date,description,amount,debit,credit',
      '2026-01-01,a,5.0,5.00,',
      '2026-01-01,b,6,0.00,6',
      '2026-01-01,c,-7,7,',
      '2026-01-01,d,0,,',
      '2026-01-01,e,8,,',
      '2026-01-01,f,8,9,',
      '2026-01-01,g,-8,,8',
      '2026-01-01,h,8,8,8',
    ].join('\n');
    const found = read(text);
    const types = found.rows.slice(0, 4).map(({ members }) => members['type']);
    expect(types).toEqual(['debit', 'credit', 'debit', undefined]);
    expect(placesOf(found)).toEqual([6, 7, 8, 9].map((line) => `line ${line} amount`));
  });
});

describe('lines before the heading', () => {
  const TABLE = 'Date;Payee;Amount\n2026-01-31;Tea;-5\n2026-02-01;Bus;x';
  const EXPECTED = [{ date: '2026-01-31', description: 'Tea', amount: '-5' }];

  test.each([
    ['none', '', 0],
    ['a title and an empty line', 'Account statement\n\n', 2],
    ['cells with other separators', 'Bank, branch, place\n"Owner";"A ""B"" C"\nPeriod;2026-01;2026-02\n', 3],
    ['a quote without an end', 'Owner "x\n', 1],
    ['a separator', 'sep=;\n', 1],
    ['a separator and a title', '"sep=;"\nAccount;1\n', 2],
  ])('bank_import: %s', (_, before, lines) => {
    for (const end of ['\n', '\r\n']) {
      const { rows, mistakes } = read((before + TABLE).replaceAll('\n', end));
      expect(rows.slice(0, 1).map(({ members }) => members)).toEqual(EXPECTED);
      expect(mistakes).toMatchObject([{ place: `line ${lines + 3}`, member: 'amount' }]);
    }
  });

  test('bank_import: a separator that the first line gives is used, whichever it is', () => {
    const { rows } = read('sep=|\nDate|Payee|Amount\n2026-01-31|Tea; two, three|-5');
    expect(rows[0]?.members['description']).toBe('Tea; two, three');
  });

  test('bank_import: a heading of the titles in --columns is recognised too', () => {
    const columns = parseColumnNames(['date=Tag,description=Text,amount=Betrag']);
    const { rows } = read('Konto;1\nTag;Text;Betrag\n2026-01-31;Tea;-5', { columns });
    expect(rows[0]).toMatchObject({ place: 'line 3', members: EXPECTED[0] });
    expect(dateHint('Konto;1\nTag;Text;Betrag\n31.01.2026;Tea;-5', { ...OPTIONS, columns })).toContain(
      'DD.MM.YYYY',
    );
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
      'Columns 3 and 4 have the same title, which fits amount',
    ],
    [
      'a text without an end',
      `${HEAD}\n2026-01-01,a,5,,\n2026-01-01,"${CANARY},5`,
      'the row that begins in line 3, the quoted text of column 2 has no end',
    ],
    [
      'a text without an end, with rows below it',
      `${HEAD}\n2026-01-01,"a\nb",5,,\n\n2026-01-01,x,"${CANARY},,\n2026-01-01,a,5,,\n2026-01-01,a,5,,\n`,
      'the row that begins in line 5, the quoted text of column 3 has no end',
    ],
    [
      'a text without an end below other lines',
      `Owner\n\n${HEAD}\n"${CANARY},a,5,,\n2026-01-01,a,5,,\n`,
      'the row that begins in line 4, the quoted text of column 1 has no end',
    ],
    [
      'a quote in a text',
      `${HEAD}\n2026-01-01,x"${CANARY}",5,,`,
      'A quote in line 2, column 2 is not allowed there',
    ],
    [
      'a text after a quote',
      `${HEAD}\n2026-01-01,"x"${CANARY},5,,`,
      'A quote in line 2, column 2 is not allowed there',
    ],
  ])('bank_import: %s is refused as a whole', (_, text, message) => {
    const failure = failureOf(() => read(text));
    expect(failure).toMatchObject({ code: 'statement_refused', exitCode: 7 });
    expect(failure.message).toContain(message);
    expect(JSON.stringify([failure.message, failure.hint, failure.context])).not.toContain(CANARY);
  });

  test('bank_import: a column that --columns names must exist', () => {
    const columns = parseColumnNames([`date=${CANARY}`]);
    const failure = failureOf(() => read(`${HEAD}\n`, { columns }));
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
    const found = read([HEAD, ...rows].join('\n'));
    const { mistakes } = found;
    expect(placesOf(found)).toEqual([
      'line 2 date',
      'line 3 amount',
      'line 3 type',
      'line 3 pending',
      'line 4 undefined',
      'line 5 undefined',
      'line 6 amount',
    ]);
    expect(mistakes.slice(4, 6).map(({ reason }) => reason)).toEqual([
      'has fewer columns than the header: 3, not 5',
      'has more columns than the header: 6, not 5',
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
