/**
 * OFX as strict XML, whichever way it came: 1.x is SGML, whose elements with a text need no end, 2.x is XML. One pass,
 * linear in the size of the text. The parser of ofx-js does this itself with patterns that take a time exponential in
 * the length of an element's name, doesn't know an element that is empty and has no end, nor numeric entities; it gets
 * what it takes for XML at once.
 */
import { statementRefused } from './failures.ts';

interface Element {
  readonly name: string;
  /** Where it begins in the pieces. */
  readonly at: number;
  text: string;
}

const TOKEN =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([A-Za-z][\w.]{0,63})\s*(\/?)>|<\?[^<>]*\?>|([^<]+)|</g;
const DEEPEST = 32;
/** Elements of others: without an end these would lose what is in them. */
const CONTAINERS =
  /^(?:OFX|\w+MSGSRS(?:V\d)?|\w*STMTTRNRS|\w*STMTRS|BANKTRANLIST|STMTTRN|BANKACCTFROM|CCACCTFROM|PAYEE|CURRENCY)$/;

/** From `<OFX>` on. Throws a refusal that names elements and lines only. */
export function asXml(text: string): string {
  const start = text.search(/<OFX>/i);
  if (start === -1) throw statementRefused('The file holds no OFX element');
  const pieces: string[] = [];
  const open: Element[] = [];
  for (const found of text.slice(start).matchAll(TOKEN)) {
    const at = start + found.index;
    const [token, cdata, slash, name, selfEnd, run] = found;
    if (name !== undefined) {
      const element = name.toUpperCase();
      if (slash === '/') end(element, { pieces, open, line: () => lineAt(text, at) });
      else if (selfEnd === '/') pieces.push(`<${element}></${element}>`);
      else begin(element, { pieces, open });
      if (open.length === 0) return pieces.join('');
      if (open.length > DEEPEST) throw statementRefused('The elements of the file are nested too deep');
    } else if (token === '<') {
      if (!text.includes('>', at)) break;
      throw statementRefused(`Line ${lineAt(text, at)} holds a < that begins no element`);
    } else {
      const last = open.at(-1);
      if (last !== undefined) last.text += cdata === undefined ? plainText(run ?? '') : cdata;
    }
  }
  throw statementRefused('The file ends before its OFX element does: a part of it is missing');
}

interface Work {
  readonly pieces: string[];
  readonly open: Element[];
}

function begin(name: string, { pieces, open }: Work): void {
  endText({ pieces, open });
  open.push({ name, at: pieces.length, text: '' });
  pieces.push(`<${name}>`);
}

function end(name: string, { pieces, open, line }: Work & { line: () => number }): void {
  if (open.at(-1)?.name !== name) endText({ pieces, open });
  const from = open.findLastIndex((element) => element.name === name);
  const unended = open.splice(from === -1 ? 0 : from + 1).map((element) => ({ ...element }));
  if (from === -1 || unended.some((element) => CONTAINERS.test(element.name))) {
    throw statementRefused(
      `The elements of the file don't match: ${name} ends in line ${line()} out of turn`,
    );
  }
  // What followed an empty element without an end stands beside it, not in it.
  for (const { name: empty, at } of unended) pieces[at] = `<${empty}></${empty}>`;
  const ended = open.pop();
  pieces.push(`${escaped(ended?.text.trim() ?? '')}</${name}>`);
}

/** An element with a text ends where the next tag begins. */
function endText({ pieces, open }: Work): void {
  const last = open.at(-1);
  if (last === undefined || last.text.trim() === '') return;
  pieces.push(`${escaped(last.text.trim())}</${last.name}>`);
  open.pop();
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};

/** An ampersand that begins no entity is one. */
function plainText(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (typeof name === 'string') return ENTITIES[name.toLowerCase()] ?? whole;
    const code =
      typeof decimal === 'string' ? Number.parseInt(decimal, 10) : Number.parseInt(String(hex), 16);
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : whole;
  });
}

/** As the parser of ofx-js reads it back. */
function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split(/\r\n|\r|\n/).length;
}
