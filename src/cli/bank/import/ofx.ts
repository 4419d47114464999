/**
 * Statements as OFX, 1.x and 2.x: the transactions of bank accounts and credit cards, from any number of statements.
 *
 * Both versions are converted to strict XML first: 1.x is SGML, where elements with a text need no end tag; 2.x is
 * XML. This takes one pass, linear in the size of the text. The ofx-js parser uses patterns that take time
 * exponential in the length of an element name. It also supports neither empty elements without an end tag nor
 * numeric entities, and it accepts at once whatever looks like XML.
 */
import { parseDate } from '../../../kernel/civil-date.ts';
import { readAmount, readIsoDate } from './cells.ts';
import { statementRefused, onOneLine, type Mistake, type RowReading, type StatementRow } from './rows.ts';

/** An element with a text or with child elements. */
export interface OfxElement {
  /** In upper case. */
  readonly name: string;
  /** Without surrounding whitespace. */
  readonly text: string;
  readonly children: readonly OfxElement[];
}

interface OpenElement {
  readonly name: string;
  text: string;
  children: OpenElement[];
}

const TOKEN =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([A-Za-z][\w.]{0,63})\s*(\/?)>|<\?[^<>]*\?>|([^<]+)|</g;
const DEEPEST = 32;
/** Elements that contain others. Without an end tag they would lose their content. */
const CONTAINERS =
  /^(?:OFX|\w+MSGSRS(?:V\d)?|\w*STMTTRNRS|\w*STMTRS|BANKTRANLIST|STMTTRN|BANKACCTFROM|CCACCTFROM|PAYEE|CURRENCY)$/;

/** Parses the OFX element. Throws a refusal that names elements and lines only. */
export function readElements(text: string): OfxElement {
  const start = text.search(/<OFX>/i);
  if (start === -1) throw statementRefused('The file contains no OFX element');
  const document: OpenElement = { name: '', text: '', children: [] };
  /** Outermost first. */
  const open: OpenElement[] = [document];
  for (const found of text.slice(start).matchAll(TOKEN)) {
    const at = start + found.index;
    const line = () => lineAt(text, at);
    const [token, cdata, slash, name, selfEnd, run] = found;
    if (name !== undefined) {
      const element = name.toUpperCase();
      if (slash === '/') end(element, open, line);
      else {
        begin(element, open, line);
        if (selfEnd === '/') open.pop();
      }
      const [root] = document.children;
      if (open.length === 1 && root) return root;
      if (open.length > DEEPEST + 1) throw statementRefused('The elements of the file are nested too deep');
    } else if (token === '<') {
      if (!text.includes('>', at)) break;
      throw statementRefused(`Line ${line()} has a < that does not begin an element`);
    } else {
      const last = open.at(-1);
      if (last) last.text += cdata === undefined ? plainText(run ?? '') : cdata;
    }
  }
  throw statementRefused('The file ends before its OFX element does: it is incomplete');
}

function begin(name: string, open: OpenElement[], line: () => number): void {
  endText(open, line);
  const element = { name, text: '', children: [] };
  open.at(-1)?.children.push(element);
  open.push(element);
}

function end(name: string, open: OpenElement[], line: () => number): void {
  if (open.at(-1)?.name !== name) endText(open, line);
  const from = open.findLastIndex((element) => element.name === name);
  const unended = from === -1 ? [] : open.splice(from + 1);
  if (from === -1 || unended.some((element) => CONTAINERS.test(element.name))) {
    throw statementRefused(
      `The elements of the file don't match: ${name} ends in line ${line()} out of turn`,
    );
  }
  // Elements after an empty element without an end tag are its siblings, not its children.
  for (const [index, empty] of [...unended.entries()].reverse()) {
    const parent = unended[index - 1] ?? open.at(-1);
    for (const child of empty.children) parent?.children.push(child);
    empty.children = [];
  }
  close(open, line);
}

/** An element with a text ends where the next tag begins. */
function endText(open: OpenElement[], line: () => number): void {
  if (open.at(-1)?.text.trim()) close(open, line);
}

function close(open: OpenElement[], line: () => number): void {
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
  ...{ '': '00', '0': '00', '00': '00', '25': '15', '5': '30', '50': '30', '75': '45' },
  ...{ '30': '30', '45': '45' },
};

/** Throws a refusal when the file is not OFX, or has no statement of a bank account or a card. */
export function readOfx(text: string): RowReading {
  const document = readElements(text);
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
    for (const transaction of within(within([one], 'BANKTRANLIST'), 'STMTTRN')) {
      const place = `transaction ${rows.length + 1}`;
      const read = readTransaction(transaction, textOf(one, 'CURDEF'));
      mistakes.push(...read.mistakes.map((mistake) => ({ ...mistake, place })));
      rows.push({ place, bankAccount, fitId: read.fitId, members: read.members });
    }
  }
  return { rows, mistakes };
}

function readTransaction(transaction: OfxElement, currencyOfStatement: string) {
  const text = (name: string) => textOf(transaction, name);
  const wrong: Omit<Mistake, 'place'>[] = [];
  const amount = amountText(text('TRNAMT'));
  if (amount === undefined) wrong.push({ member: 'amount', reason: 'TRNAMT must be an amount' });
  const posted = postingTime(text('DTPOSTED'));
  if (posted === undefined) wrong.push({ member: 'date', reason: 'DTPOSTED must be a date' });
  const fitId = text('FITID');
  if (fitId === '') wrong.push({ member: 'transaction_id', reason: 'FITID is missing' });
  const names = [text('NAME'), ...within([transaction], 'PAYEE').map((payee) => textOf(payee, 'NAME'))];
  const [description, rest] = [...names, text('MEMO')].filter((one) => one !== '');
  const check = text('CHECKNUM');
  const named = description ?? (check === '' ? '' : `Check ${check}`);
  if (named === '') wrong.push({ member: 'description', reason: 'NAME and MEMO are missing' });
  const currency = within([transaction], 'CURRENCY').map((one) => textOf(one, 'CURSYM'))[0] ?? '';
  const members = {
    ...(amount !== undefined && { amount }),
    ...posted,
    ...(named !== '' && { description: named }),
    ...(rest !== undefined && { raw_description: rest }),
    ...textMember('currency', currency === '' ? currencyOfStatement : currency),
  };
  return { members, fitId: fitId === '' ? undefined : fitId, mistakes: wrong };
}

/** A decimal with a point or a comma, as in OFX: without groups or currency. */
function amountText(text: string): string | undefined {
  if (!/^[+-]?(?:\d+(?:[.,]\d+)?|[.,]\d+)$/.test(text)) return undefined;
  return readAmount(text.replace(',', '.').replace(/^\+/, ''), false)?.text;
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

function textMember(name: string, text: string): Record<string, string> {
  return text === '' ? {} : { [name]: text };
}

/** The child elements with this name. */
function within(elements: readonly OfxElement[], name: string): OfxElement[] {
  return elements.flatMap(({ children }) =>
    children.filter((child) => child.name === name && child.children.length > 0),
  );
}

function textOf({ children }: OfxElement, name: string): string {
  return onOneLine(children.find((child) => child.name === name)?.text ?? '');
}
