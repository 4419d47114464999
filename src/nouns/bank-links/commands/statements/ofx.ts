/**
 * Statements as OFX, 1.x and 2.x: the transactions of bank accounts and credit cards, from any number of statements
 * in any number of documents.
 *
 * 1.x is SGML, where elements with a text need no end tag, and some banks leave out the end tags of transactions and
 * lists too; 2.x is XML, where some banks write texts with a < in them as they are. Both are read in one pass, linear
 * in the size of the text. The ofx-js parser uses patterns that take time exponential in the length of an element
 * name. It also supports neither empty elements without an end tag nor numeric entities, and it accepts at once
 * whatever looks like XML.
 */
import { DEFAULT_CURRENCY } from '../../facts.ts';
import { parseDate } from '../../../../kernel/time/civil-date.ts';
import { CliError } from '../../../../cli/shell/failure.ts';
import { readAmount, readIsoDate } from './cells.ts';
import { statementRefused, onOneLine, type Mistake, type RowReading, type StatementRow } from './rows.ts';
import { defined } from '../../../../kernel/defined.ts';

/** An element with a text or with child elements. */
interface OfxElement {
  /** In upper case. */
  readonly name: string;
  /** Its row in LEVELS; -1 for none. */
  readonly level: number;
  /** Without surrounding whitespace, once the element is closed. */
  text: string;
  children: OfxElement[];
}

/** A new one each time, since it keeps its place. */
const tokenPattern = () =>
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([A-Za-z][\w.]{0,63})\s*(\/?)>|<\?[^<>]*\?>|([^<]+)|</g;
const DEEPEST = 32;
/**
 * What stands in what, from the outside. An element of one row ends what is open of its row and the rows below it, if
 * a bank writes no end tags there.
 */
const LEVELS = [
  /^OFX$/,
  /MSGSRS(?:V\d)?$/,
  /STMTTRNRS$/,
  /STMTRS$/,
  /^(?:CURDEF|(?:BANK|CC)ACCTFROM|BANKTRANLISTP?|LEDGERBAL|AVAILBAL|BALLIST|MKTGINFO)$/,
  /^STMTTRNP?$/,
  /^(?:TRNTYPE|DT(?:POSTED|USER|AVAIL)|TRNAMT|FITID|CORRECTFITID|CORRECTACTION|SRVRTID|CHECKNUM|REFNUM|SIC|PAYEEID|PAYEE|EXTDNAME|(?:BANK|CC)ACCTTO|MEMO|IMAGEDATA|CURRENCY|ORIGCURRENCY|INV401KSOURCE)$/,
];
/** Elements that contain others. Without an end tag they keep their content. */
const CONTAINERS =
  /^(?:OFX|\w+MSGSRS(?:V\d)?|\w*STMTTRNRS|\w*STMTRS|BANKTRANLISTP?|STMTTRNP?|(?:BANK|CC)ACCT(?:FROM|TO)|LEDGERBAL|AVAILBAL|BALLIST|PAYEE|CURRENCY|ORIGCURRENCY)$/;
const PAYEE_ELEMENTS = /^(?:NAME|ADDR\d|CITY|STATE|POSTALCODE|COUNTRY|PHONE)$/;
/** Elements whose text a person wrote, so that it may contain anything. */
const FREE_TEXTS = /^(?:NAME|EXTDNAME|MEMO|ADDR\d|CITY|MESSAGE)$/;
/** The longest text in which tags are looked for. */
const LONGEST_TEXT = 1_024;
/** More than any transaction has elements. */
const MOST_MEMBERS = 64;
const INCOMPLETE = 'The file ends before its OFX element does: it is incomplete';

/** Reads each document of a file. Throws a refusal that names the document, if there are several. */
function eachDocument<T>(text: string, read: (root: OfxElement, name: string) => T): T[] {
  const starts = [...text.matchAll(/<OFX>/gi)].map(({ index }) => index);
  if (starts.length === 0) throw statementRefused('The file contains no OFX element');
  let end = 0;
  const results = starts.flatMap((start, index) => {
    if (start < end) return [];
    const name = starts.length === 1 ? '' : `document ${index + 1}`;
    try {
      const document = readElements(text, start);
      end = document.end;
      return [read(document.root, name)];
    } catch (error) {
      if (name === '' || !(error instanceof CliError)) throw error;
      throw statementRefused(`In ${name} of ${starts.length}: ${error.message}`);
    }
  });
  if (/OFXHEADER/i.test(text.slice(end))) throw statementRefused(INCOMPLETE);
  return results;
}

/** Parses the OFX element that begins at `start`. */
function readElements(text: string, start: number): { root: OfxElement; end: number } {
  const document: OfxElement = { name: '', level: -1, text: '', children: [] };
  /** Outermost first. */
  const open: OfxElement[] = [document];
  const tokens = tokenPattern();
  tokens.lastIndex = start;
  for (let found = tokens.exec(text); found !== null; found = tokens.exec(text)) {
    const at = found.index;
    const line = () => lineAt(text, at);
    const [token, cdata, slash, name = '', selfEnd, run] = found;
    const element = name.toUpperCase();
    const last = open.at(-1) ?? document;
    const isFree = FREE_TEXTS.test(last.name);
    if (token === '<') {
      if (!text.includes('>', at)) break;
      if (!isFree || !/^<[^<>\r\n]*>/.test(text.slice(at, at + LONGEST_TEXT)))
        throw statementRefused(`Line ${line()} has a < that does not begin an element`);
      last.text += token;
    } else if (element === '' || (isFree && isText(element, slash === '/', open))) {
      last.text += cdata ?? plainText(run ?? (element === '' ? '' : token));
    } else if (slash === '/') {
      end(element, open, line);
    } else {
      begin(element, open, line);
      if (selfEnd === '/') open.pop();
      else if (FREE_TEXTS.test(element)) {
        const free = closedText(text, tokens.lastIndex, name);
        tokens.lastIndex += free.length;
        (open.at(-1) ?? document).text += plainText(free);
      }
    }
    const [root] = document.children;
    if (open.length === 1 && root) return { root, end: tokens.lastIndex };
    if (open.length > DEEPEST + 1) throw statementRefused('The elements of the file are nested too deep');
  }
  throw statementRefused(INCOMPLETE);
}

/** The text up to the end tag of its own element, whatever it contains; empty if there is none before other content. */
function closedText(text: string, from: number, name: string): string {
  const near = text.slice(from, from + LONGEST_TEXT);
  const tag = name.toUpperCase();
  const free = near.slice(0, Math.max(0, near.toUpperCase().indexOf(`</${tag}>`)));
  return free.toUpperCase().includes(`<${tag}>`) || /<\/?STMTTRN|<!/i.test(free) ? '' : free;
}

/**
 * Whether a tag in a free text is a part of it: on the same line behind some text, it ends nothing that is open, or it
 * begins no element of OFX or of an extension, or one that is there already.
 */
function isText(element: string, isEnd: boolean, open: readonly OfxElement[]): boolean {
  const [parent, last] = open.slice(-2);
  if (last === undefined || last.text.length > LONGEST_TEXT) return false;
  const text = last.text.trimEnd();
  if (text.trim() === '' || /[\r\n]/.test(last.text.slice(text.length))) return false;
  if (isEnd) return !open.some(({ name }) => name === element);
  const isElement = element.includes('.') || PAYEE_ELEMENTS.test(element) || levelOf(element) !== -1;
  const before = parent?.children.slice(0, MOST_MEMBERS) ?? [];
  return !isElement || before.some(({ name }) => name === element);
}

function begin(name: string, open: OfxElement[], line: () => number): void {
  endText(open, line);
  if (name === 'OFX' && open.length > 1) throw statementRefused(INCOMPLETE);
  const level = levelOf(name);
  const from = level === -1 ? -1 : open.findIndex((element) => element.level >= level);
  if (from !== -1) closeFrom(from, open, line);
  if (name === 'STMTTRN' && !/TRANLISTP?$|^INVBANKTRAN$/.test(open.at(-1)?.name ?? ''))
    throw outOfTurn(`${name} begins`, line);
  const element = { name, level, text: '', children: [] };
  open.at(-1)?.children.push(element);
  open.push(element);
}

function levelOf(name: string): number {
  return LEVELS.findIndex((level) => level.test(name));
}

function end(name: string, open: OfxElement[], line: () => number): void {
  if (open.at(-1)?.name !== name) endText(open, line);
  const from = open.findLastIndex((element) => element.name === name);
  if (from === -1) throw outOfTurn(`${name} ends`, line);
  closeFrom(from + 1, open, line);
  close(open, line);
}

function outOfTurn(what: string, line: () => number): Error {
  return statementRefused(`The elements of the file don't match: ${what} in line ${line()} out of turn`);
}

/** Closes elements without an end tag, from this one on. */
function closeFrom(from: number, open: OfxElement[], line: () => number): void {
  while (open.length > from) {
    const ended = open.at(-1);
    close(open, line);
    if (ended === undefined || CONTAINERS.test(ended.name)) continue;
    // Elements after an empty element without an end tag are its siblings, not its children.
    open.at(-1)?.children.push(...ended.children);
    ended.children = [];
  }
}

/** An element with a text ends where the next tag begins. */
function endText(open: OfxElement[], line: () => number): void {
  if (open.at(-1)?.text.trim()) close(open, line);
}

function close(open: OfxElement[], line: () => number): void {
  const ended = open.pop();
  if (!ended) return;
  ended.text = ended.text.trim();
  if (ended.text !== '' && ended.children.length > 0) {
    throw statementRefused(`${ended.name} contains text beside its elements, before line ${line()}`);
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};

/** An ampersand that does not begin an entity is a literal ampersand. */
function plainText(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (typeof name === 'string') return ENTITIES[name.toLowerCase()] ?? whole;
    const code =
      typeof decimal === 'string' ? Number.parseInt(decimal, 10) : Number.parseInt(String(hex), 16);
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : whole;
  });
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split(/\r\n|\r|\n/).length;
}

/** The paths to statements: messages, response, statement, account. */
const STATEMENTS = [
  ['BANKMSGSRSV1', 'STMTTRNRS', 'STMTRS', 'BANKACCTFROM'],
  ['CREDITCARDMSGSRSV1', 'CCSTMTTRNRS', 'CCSTMTRS', 'CCACCTFROM'],
] as const;

const DATE_TIME =
  /^(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?(?:\.(\d{1,3}))?)? ?(?:\[([+-]?)(\d{1,2})(?:\.(\d{1,2}))?(?::[^\]]*)?\])?$/;
/** Hours may have a fraction; some files write minutes there. */
const MINUTES: Readonly<Record<string, string>> = {
  '': '00',
  '0': '00',
  '00': '00',
  '25': '15',
  '5': '30',
  '50': '30',
  '75': '45',
  '30': '30',
  '45': '45',
};

export interface OfxOptions {
  /** The currency of statements that name none. */
  readonly currency?: string | undefined;
  /** Whether a transaction may lack a FITID. */
  readonly mayLackId?: boolean;
}

/**
 * Throws a refusal when the file is not OFX, or a document has no statement of a bank account or a card. A place names
 * the document if there are several.
 */
export function readOfx(text: string, options: OfxOptions = {}): RowReading {
  const readings = eachDocument(text, (document, name) => readDocument(document, name, options));
  return {
    rows: readings.flatMap(({ rows }) => rows),
    mistakes: readings.flatMap(({ mistakes }) => mistakes),
  };
}

function readDocument(document: OfxElement, name: string, options: OfxOptions): RowReading {
  const statements = STATEMENTS.flatMap(([messages, answer, statement, owner]) =>
    within(within(within([document], messages), answer), statement).map((one) => ({ one, owner })),
  );
  if (statements.length === 0) {
    throw statementRefused('The file contains no statement of a bank account or a credit card');
  }
  const rows: StatementRow[] = [];
  const mistakes: Mistake[] = [];
  for (const { one, owner } of statements) {
    const bankAccount = within([one], owner).map((account) => textOf(account, 'ACCTID'))[0] ?? '';
    const transactions = within(within([one], 'BANKTRANLIST'), 'STMTTRN');
    const hasSigns = transactions.some((transaction) => textOf(transaction, 'TRNAMT').startsWith('-'));
    const currency = textOf(one, 'CURDEF') || options.currency;
    for (const transaction of transactions) {
      const place = `${name === '' ? '' : `${name}, `}transaction ${rows.length + 1}`;
      const read = readTransaction(transaction, { ...options, currency, hasSigns });
      mistakes.push(...read.mistakes.map((mistake) => ({ ...mistake, place })));
      rows.push({ place, bankAccount, fitId: read.fitId, members: read.members });
    }
  }
  return { rows, mistakes };
}

function readTransaction(
  transaction: OfxElement,
  options: OfxOptions & {
    /** Whether any amount of the statement has a minus. */
    readonly hasSigns: boolean;
  },
) {
  const text = (name: string) => textOf(transaction, name);
  const wrong: Omit<Mistake, 'place'>[] = [];
  const currency =
    within([transaction], 'CURRENCY').map((one) => textOf(one, 'CURSYM'))[0] || options.currency || '';
  const amount = amountText(text('TRNAMT'), currency || DEFAULT_CURRENCY);
  if (typeof amount !== 'string') wrong.push({ member: 'amount', ...amount });
  const posted = postingTime(text('DTPOSTED'));
  if (posted === undefined) wrong.push({ member: 'date', reason: 'DTPOSTED must be a date' });
  const type = text('TRNTYPE');
  if (/^debit$/i.test(type) && !options.hasSigns && /[1-9]/.test(text('TRNAMT')))
    wrong.push({ member: 'type', reason: 'TRNTYPE is DEBIT, and no amount of the statement has a minus' });
  const fitId = text('FITID');
  if (fitId === '' && options.mayLackId !== true)
    wrong.push({ member: 'transaction_id', reason: 'FITID is missing' });
  const names = [text('NAME'), ...within([transaction], 'PAYEE').map((payee) => textOf(payee, 'NAME'))];
  const [description, rest] = [...names, text('MEMO')].filter((one) => one !== '');
  const check = text('CHECKNUM');
  const named = description ?? (check === '' ? type : `Check ${check}`);
  if (named === '') wrong.push({ member: 'description', reason: 'NAME, MEMO and TRNTYPE are missing' });
  const members = {
    ...posted,
    ...defined({
      amount: typeof amount === 'string' ? amount : undefined,
      description: named || undefined,
      raw_description: rest,
      currency: currency || undefined,
    }),
  };
  return { members, fitId: fitId === '' ? undefined : fitId, mistakes: wrong };
}

const USUAL_PLACES = 2;
/** ISO 4217: the currencies whose amounts don't have two decimals. */
const PLACES: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

function placesOf(currency: string): number {
  const [places] = Object.entries(PLACES).find(([, codes]) => codes.includes(currency)) ?? [USUAL_PLACES];
  return Number(places);
}

/**
 * A decimal with a point or a comma, as in OFX: without groups or currency. Zeros beyond the decimals of the currency
 * are dropped.
 */
function amountText(text: string, currency: string): string | { readonly reason: string } {
  const [match, sign = '', whole = '', part = ''] = /^([+-]?)(\d*)(?:[.,](\d+))?$/.exec(text) ?? [];
  const places = placesOf(currency);
  if (match === undefined || whole + part === '') return { reason: 'TRNAMT must be an amount' };
  if (/[1-9]/.test(part.slice(places))) return { reason: 'TRNAMT has more decimals than its currency' };
  const kept = part.slice(0, places);
  const plain = `${sign.replace('+', '')}${whole || '0'}${kept === '' ? '' : `.${kept}`}`;
  return readAmount(plain, false)?.text ?? { reason: 'TRNAMT must be an amount' };
}

/**
 * The date in the file, plus the moment if it has a time: `20260131120000[-5:EST]`. In OFX, a time without an offset
 * is GMT.
 */
function postingTime(text: string): { date: string; datetime?: string } | undefined {
  const [match, year, month, day, hour, minute, second = '00', fraction, sign, hours, part = ''] =
    DATE_TIME.exec(text) ?? [];
  const date = `${year ?? ''}-${month ?? ''}-${day ?? ''}`;
  if (match === undefined || parseDate(date) === undefined) return undefined;
  if (hour === undefined) return { date };
  const time = `${date}T${hour}:${minute ?? ''}:${second}${fraction === undefined ? '' : `.${fraction}`}`;
  const minutes = MINUTES[part] ?? '';
  const offset =
    hours === undefined ? 'Z' : `${sign === '-' ? '-' : '+'}${hours.padStart(2, '0')}:${minutes}`;
  const datetime = time + offset;
  return readIsoDate(datetime) === datetime ? { date, datetime } : undefined;
}

function within(elements: readonly OfxElement[], name: string): OfxElement[] {
  return elements.flatMap(({ children }) =>
    children.filter((child) => child.name === name && child.children.length > 0),
  );
}

function textOf({ children }: OfxElement, name: string): string {
  return onOneLine(children.find((child) => child.name === name)?.text ?? '');
}
