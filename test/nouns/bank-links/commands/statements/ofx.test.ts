/** Statements as OFX: SGML and XML, several accounts, and files that aren't OFX. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { numberRows } from '../../../../../src/nouns/bank-links/commands/statements/rows.ts';
import { readOfx } from '../../../../../src/nouns/bank-links/commands/statements/ofx.ts';
import { failureOf } from '../../../../support/failure-of.ts';
import { words } from '../../../../support/words.ts';

const SGML_HEADER = 'OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nENCODING:USASCII\nCHARSET:1252\n\n';
const XML_HEADER = '<?xml version="1.0" encoding="UTF-8"?>\n<?OFX OFXHEADER="200" VERSION="211"?>\n';

const SGML = `${SGML_HEADER}<OFX>
<SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<SEVERITY>INFO</STATUS><DTSERVER>20260201<LANGUAGE>ENG</SONRS></SIGNONMSGSRSV1>
<BANKMSGSRSV1>
<STMTTRNRS><TRNUID>1
<STMTRS><CURDEF>USD
<BANKACCTFROM><BANKID>000000000<ACCTID>55501234<ACCTTYPE>CHECKING</BANKACCTFROM>
<BANKTRANLIST><DTSTART>20260101<DTEND>20260131
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260105120000.000[-5:EST]<TRNAMT>-12.50<FITID>a-1<NAME>Tea &amp; Co.<MEMO>CARD 1</STMTTRN>
<STMTTRN>
  <TRNTYPE>CREDIT
  <DTPOSTED>20260106
  <TRNAMT>+100
  <FITID>2026/01/06 1
  <NAME>
  <MEMO>
  <CHECKNUM>1001
</STMTTRN>
</BANKTRANLIST>
<LEDGERBAL><BALAMT>87.50<DTASOF>20260131</LEDGERBAL>
</STMTRS></STMTTRNRS>
</BANKMSGSRSV1>
<CREDITCARDMSGSRSV1><CCSTMTTRNRS><CCSTMTRS><CURDEF>EUR
<CCACCTFROM><ACCTID>XXXX-9876</CCACCTFROM>
<BANKTRANLIST><STMTTRN><TRNTYPE>DEBIT<DTPOSTED>202601071530<TRNAMT>-3,20<FITID>c1<MEMO>Bus<CURRENCY><CURRATE>1.1<CURSYM>GBP</CURRENCY></STMTTRN></BANKTRANLIST>
</CCSTMTRS></CCSTMTTRNRS></CREDITCARDMSGSRSV1>
</OFX>
`;

const EXPECTED = [
  {
    place: 'transaction 1',
    bankAccount: '55501234',
    fitId: 'a-1',
    members: {
      amount: '-12.50',
      date: '2026-01-05',
      datetime: '2026-01-05T12:00:00.000-05:00',
      description: 'Tea & Co.',
      raw_description: 'CARD 1',
      currency: 'USD',
    },
  },
  {
    place: 'transaction 2',
    bankAccount: '55501234',
    fitId: '2026/01/06 1',
    members: { amount: '100', date: '2026-01-06', description: 'Check 1001', currency: 'USD' },
  },
  {
    place: 'transaction 3',
    bankAccount: 'XXXX-9876',
    fitId: 'c1',
    members: {
      amount: '-3.20',
      date: '2026-01-07',
      datetime: '2026-01-07T15:30:00Z',
      description: 'Bus',
      currency: 'GBP',
    },
  },
];

/** Returns an OFX document with a transaction for each of these groups of elements. */
const document = (...transactions: string[]) =>
  `<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD</CURDEF><BANKACCTFROM><ACCTID>55501234</ACCTID></BANKACCTFROM>` +
  `<BANKTRANLIST>${transactions.map((one) => `<STMTTRN>${one}</STMTTRN>`).join('')}</BANKTRANLIST>` +
  '</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>';
const RIGHT = '<TRNAMT>1</TRNAMT><DTPOSTED>20260101</DTPOSTED><FITID>f</FITID>';

const refusal = (text: string) => failureOf(() => readOfx(text));

describe('documents', () => {
  test.each([
    ['SGML, elements without an end', SGML],
    ['SGML with CRLF', SGML.replaceAll('\n', '\r\n')],
    ['names in small letters', SGML.replace(/<\/?[A-Z\d]+>/g, (tag) => tag.toLowerCase())],
    ['comments', SGML.replaceAll('<STMTTRN>', '<STMTTRN><!-- <NAME>no -->')],
    [
      'XML',
      XML_HEADER +
        SGML.slice(SGML_HEADER.length)
          .replace(/<([A-Z\d]+)>([^<\n]*[^<\s])\s*/g, '<$1>$2</$1>\n')
          .replace(/<(NAME|MEMO)>\s+/g, '<$1/>'),
    ],
  ])('bank_import: %s: all transactions of bank accounts and cards', (_, text) => {
    expect(readOfx(text)).toEqual({ rows: EXPECTED, mistakes: [] });
  });

  test('bank_import: what follows an empty element without an end stands beside it', () => {
    const { rows } = readOfx(document(`<NAME><MEMO><EXTRA>${RIGHT}<PAYEE><NAME>Tea</PAYEE>`));

    expect(rows[0]).toMatchObject({ fitId: 'f', members: { amount: '1', description: 'Tea' } });
  });

  test.each([
    ['transactions', /<\/STMTTRN>/g],
    ['lists', /<\/BANKTRANLIST>/g],
    ['transactions and lists', /<\/(?:STMTTRN|BANKTRANLIST)>/g],
    ['accounts, currencies and balances', /<\/(?:\w+ACCTFROM|CURRENCY|LEDGERBAL)>/g],
    ['anything but the document', /<\/(?!OFX)\w+>/g],
  ])('bank_import: %s that never end: all transactions', (_, ends) => {
    for (const text of [
      SGML,
      SGML.replaceAll('\n', '\r\n'),
      SGML_HEADER + SGML.slice(SGML_HEADER.length).replace(/\n\s*/g, ''),
    ])
      expect(readOfx(text.replace(ends, ''))).toEqual({ rows: EXPECTED, mistakes: [] });
  });

  test('bank_import: an element after another without an end belongs to the transaction', () => {
    const { rows } = readOfx(
      document('<CURRENCY><CURSYM>EUR<TRNAMT>1<DTPOSTED>20260101<PAYEE><NAME>Tea<CITY>X<FITID>f<MEMO>m'),
    );
    expect(rows[0]).toMatchObject({
      fitId: 'f',
      members: { amount: '1', currency: 'EUR', description: 'Tea', raw_description: 'm' },
    });
  });

  test('bank_import: several documents are read, each by its number', () => {
    const { rows, mistakes } = readOfx(`${SGML}\n${XML_HEADER}${document(RIGHT, `${RIGHT}<NAME>x`)}`);
    expect(rows.map(({ place }) => place)).toEqual([
      ...[1, 2, 3].map((number) => `document 1, transaction ${number}`),
      ...[1, 2].map((number) => `document 2, transaction ${number}`),
    ]);
    expect(mistakes).toMatchObject([{ place: 'document 2, transaction 1', member: 'description' }]);
  });

  test.each([
    ['is cut off', SGML.slice(0, 900), /^In document 2 of 2: /],
    ['ends in its header', 'OFXHEADER:100\n', /incomplete/],
    ['has no statement', '<OFX><X>1</X></OFX>', /^In document 2 of 2: /],
    ['does not match', document(`${RIGHT}</NAME>`), /^In document 2 of 2: /],
  ])('bank_import: a second document that %s refuses the file', (_, second, message) => {
    expect(refusal(`${SGML}${second}`).message).toMatch(message);
  });

  test.each([
    ['12.5', 'USD', '12.5'],
    ['-12.50000', 'USD', '-12.50'],
    ['1500.00', 'JPY', '1500'],
    ['1.2340', 'KWD', '1.234'],
    ['.5', 'EUR', '0.5'],
    ['007', 'EUR', '7'],
    ['12.345', 'USD', undefined],
    ['1500.5', 'JPY', undefined],
    ['1.', 'USD', undefined],
    ['-', 'USD', undefined],
    ['1234567890123', 'USD', undefined],
  ])('bank_import: TRNAMT %s of %s is %s', (text, currency, amount) => {
    const one = document(`<TRNAMT>${text}<DTPOSTED>20260101<FITID>f<NAME>x`);
    const { rows, mistakes } = readOfx(one.replace('<CURDEF>USD', `<CURDEF>${currency}`));
    expect(rows[0]?.members['amount']).toBe(amount);
    expect(mistakes.map(({ member }) => member)).toEqual(amount === undefined ? ['amount'] : []);
  });

  test('bank_import: --currency gives the decimals of a statement without a currency', () => {
    const text = document(`${RIGHT.replace('>1<', '>1.5<')}<NAME>x`).replace('<CURDEF>USD</CURDEF>', '');
    expect(readOfx(text).mistakes).toEqual([]);
    expect(readOfx(text, { currency: 'JPY' }).mistakes).toMatchObject([{ member: 'amount' }]);
  });

  test('bank_import: the type is the description where nothing else is', () => {
    const { rows, mistakes } = readOfx(document(`<TRNTYPE>ATM${RIGHT}`, `<TRNTYPE>FEE${RIGHT}<CHECKNUM>7`));
    expect(rows.map(({ members }) => members['description'])).toEqual(['ATM', 'Check 7']);
    expect(mistakes).toEqual([]);
  });

  test('bank_import: a DEBIT in a statement without a minus is refused, not imported as a credit', () => {
    const debit = `<TRNTYPE>DEBIT${RIGHT}<NAME>x`;
    expect(readOfx(document(debit)).mistakes).toMatchObject([{ member: 'type' }]);
    const signed = document(debit, debit.replace('>1<', '>-1<'));
    expect(readOfx(signed).mistakes).toEqual([]);
  });

  test.each([
    ['ACME <b>Ltd</b>', 'ACME <b>Ltd</b>'],
    ['<b>ACME</b> Ltd', '<b>ACME</b> Ltd'],
    ['to <MEMO> and <FITID>', 'to <MEMO> and <FITID>'],
    ['from <NAME> or </MEMO>', 'from <NAME> or </MEMO>'],
    ['1 < 2 > 0 <3 <x@example.com>', '1 < 2 > 0 <3 <x@example.com>'],
  ])('bank_import: an ended text %j keeps what looks like a tag', (written, meant) => {
    const { rows, mistakes } = readOfx(document(`<NAME>${written}</NAME>${RIGHT}`, `${RIGHT}<NAME>next`));
    expect(mistakes).toEqual([]);
    expect(rows.map(({ members }) => members['description'])).toEqual([meant, 'next']);
  });

  test.each(['ACME <b>Ltd</b>', 'to <REF> 7', 'for <x@example.com>', 'about <3 kg>', 'about <NAME> again'])(
    'bank_import: a text without an end keeps what looks like a tag: %j',
    (written) => {
      const before = words`<TRNTYPE>OTHER <TRNAMT>-1 <DTPOSTED>20260101`;
      for (const space of ['', '\n']) {
        const elements = [...before, `<NAME>${written}`, '<FITID>f', '<MEMO>m'];
        const { rows, mistakes } = readOfx(document(elements.join(space) + space));
        expect(mistakes).toEqual([]);
        expect(rows[0]).toMatchObject({
          fitId: 'f',
          members: { description: written, raw_description: 'm' },
        });
      }
    },
  );

  test('bank_import: an element of an extension ends a text, as one on a line of its own does', () => {
    const { rows } = readOfx(document(`${RIGHT}<MEMO>Tea<INTU.X>1<NAME>Bus\n<OWN>2`));
    expect(rows[0]?.members).toMatchObject({ description: 'Bus', raw_description: 'Tea' });
  });

  test('bank_import: a statement without transactions has none', () => {
    expect(readOfx(document())).toEqual({ rows: [], mistakes: [] });
  });

  test.each([
    ['Caf&#233; &#xE9;', 'Café é'],
    ['A & B &unknown; &amp;lt;', 'A & B &unknown; &lt;'],
    ['<![CDATA[1 < 2 & 3]]>', '1 < 2 & 3'],
    ['&lt;b&gt; &quot;x&quot; &apos;', '<b> "x" \''],
    ['&#0; &#xD800;', '&#0; &#xD800;'],
  ])('bank_import: a text %j is %j', (written, meant) => {
    const { rows } = readOfx(document(`${RIGHT}<NAME>${written}</NAME>`));
    expect(rows[0]?.members['description']).toBe(meant);
  });

  test.each([
    ['20260131', '2026-01-31', undefined],
    ['20260131235959', '2026-01-31', '2026-01-31T23:59:59Z'],
    ['20260131100000[+5.5:IST]', '2026-01-31', '2026-01-31T10:00:00+05:30'],
    ['20260131100000.123[0:GMT]', '2026-01-31', '2026-01-31T10:00:00.123+00:00'],
    ['20260131100000[-03]', '2026-01-31', '2026-01-31T10:00:00-03:00'],
    ['20260230', undefined, undefined],
    ['20260131250000', undefined, undefined],
    ['20260131100000[+24:XX]', undefined, undefined],
    ['20260131240000', undefined, undefined],
    ['2026-01-31', undefined, undefined],
    ['', undefined, undefined],
  ])('bank_import: DTPOSTED %j is the date %s, the moment %s', (text, date, datetime) => {
    const { rows } = readOfx(document(`<TRNAMT>1<FITID>f<NAME>x<DTPOSTED>${text}`));
    expect([rows[0]?.members['date'], rows[0]?.members['datetime']]).toEqual([date, datetime]);
  });
});

describe('ids', () => {
  const ACCOUNT = 'acct_7p793EF07xKXHqAeg5VGPj';
  const idOf = (account_id: string | undefined, fitId: string) =>
    numberRows([{ place: 'transaction 1', fitId, members: { account_id } }])[0]?.members['transaction_id'];
  const hashOf = (account: string, id: string) =>
    `ofx-${createHash('sha256').update(`["${account}","${id}"]`).digest('hex').slice(0, 40)}`;

  test('bank_import: a FITID is unique in its account only, so that the id is made of both', () => {
    expect(idOf(ACCOUNT, '20260106.1')).toBe(`${ACCOUNT}.20260106.1`);
    expect(idOf('acct_1', 'f')).not.toBe(idOf('acct_2', 'f'));
    expect(idOf(undefined, 'f')).toBeUndefined();
  });

  test('bank_import: where account and FITID can be no id, it is a hash of both, the same each time', () => {
    expect(idOf(ACCOUNT, 'a b')).toBe(hashOf(ACCOUNT, 'a b'));
    const room = 128 - `${ACCOUNT}.`.length;
    expect(idOf(ACCOUNT, 'x'.repeat(room))).toBe(`${ACCOUNT}.${'x'.repeat(room)}`);
    expect(idOf(ACCOUNT, 'x'.repeat(room + 1))).toBe(hashOf(ACCOUNT, 'x'.repeat(room + 1)));
  });
});

describe('what is wrong', () => {
  const CANARY = 'Zanzibar-4711';
  const ONE = document(RIGHT);

  test('bank_import: everything wrong with every transaction is reported by its number, without values', () => {
    const { mistakes } = readOfx(
      document(
        `<TRNAMT>${CANARY}<DTPOSTED>${CANARY}<FITID>f<NAME>${CANARY}`,
        `${RIGHT}<NAME>right</NAME>`,
        '<TRNAMT>1,234.50<DTPOSTED>20260101<MEMO>x',
        RIGHT,
      ),
    );
    expect(mistakes.map(({ place, member }) => [place, member])).toEqual([
      ['transaction 1', 'amount'],
      ['transaction 1', 'date'],
      ['transaction 3', 'amount'],
      ['transaction 3', 'transaction_id'],
      ['transaction 4', 'description'],
    ]);
    expect(JSON.stringify(mistakes)).not.toContain(CANARY);
  });

  test.each([
    ['no OFX', CANARY, 'The file contains no OFX element'],
    ['no statement', `<OFX><X>${CANARY}</X></OFX>`, 'no statement of a bank account or a credit card'],
    ['cut off', SGML.slice(0, 900), 'ends before its OFX element does'],
    ['a transaction that ends twice', document(`${RIGHT}</STMTTRN>`), 'STMTTRN ends in line 1 out of turn'],
    [
      'a transaction outside a list',
      ONE.replaceAll(/<.?BANKTRANLIST>/g, ''),
      'STMTTRN begins in line 1 out of turn',
    ],
    [
      'a document cut off before another',
      SGML.replace(/<LEDGERBAL>[^]*/, ONE),
      'ends before its OFX element',
    ],
    ['an end without a beginning', document(`${RIGHT}</NAME>`), 'NAME ends in line 1 out of turn'],
    ['a text among transactions', ONE.replace('<STMTTRN>', `${CANARY}<STMTTRN>`), 'out of turn'],
    [
      'a text after transactions',
      ONE.replace('</BANKTRANLIST>', `${CANARY}</BANKTRANLIST>`),
      'BANKTRANLIST contains text beside its elements, before line 1',
    ],
    ['a stray <', SGML.replace('Tea', `${CANARY}<`), 'Line 14 has a < that does not begin an element'],
    ['elements nested without end', `<OFX>${'<A>'.repeat(100)}`, 'nested too deep'],
  ])('bank_import: %s is refused as a whole', (_, text, message) => {
    const failure = refusal(text);
    expect(failure).toMatchObject({ code: 'statement_refused', exitCode: 7 });
    expect(failure.message).toContain(message);
    expect(failure.message).not.toContain(CANARY);
  });

  test('bank_import: names of elements, runs of blanks and comments of any length are read in one pass', () => {
    expect(refusal(`<OFX><${'A'.repeat(60)}>x</OFX>`).message).toContain('no statement');
    expect(refusal(`<OFX><A>${' '.repeat(2_000_000)}x`).message).toContain('ends before');
    expect(refusal(`<OFX><A>${'<!--'.repeat(500_000)} >`).message).toContain('does not begin an element');
    expect(refusal(`<OFX>${'<MEMO>x'.repeat(200_000)}`).message).toContain('ends before');
    expect(refusal(`<OFX>${'<MEMO>x<NAME>y'.repeat(100_000)}`).message).toContain('ends before');
    expect(refusal(`<OFX>${'<MEMO>'.repeat(100)}${'<x@y>'.repeat(200_000)}`).message).toContain(
      'ends before',
    );
    expect(refusal(`<OFX>${`<${'A'.repeat(60)}>x`.repeat(20_000)}</OFX>`).message).toContain('no statement');
  });
});
