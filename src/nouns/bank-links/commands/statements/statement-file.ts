/** Reads a statement as text and detects its format. */
import { attempt } from '../../../../kernel/attempt.ts';
import { isUtf8 } from 'node:buffer';
import { IMPORT_LIMIT_BYTES } from '../../facts.ts';
import { MIB } from '../../../../kernel/numbers/units.ts';
import { CliError, UsageError } from '../../../../cli/shell/failure.ts';
import { openSource, unreadable } from '../../../../cli/shell/files.ts';
import { isJsonObject, jsonOf, withoutByteOrderMark } from '../../../../kernel/text/json.ts';
import { statementRefused, type StatementRow, type Mistake, type RowReading } from './rows.ts';

export const STATEMENT_FORMATS = ['csv', 'ofx', 'json'] as const;
export type StatementFormat = (typeof STATEMENT_FORMATS)[number];

export interface StatementFile {
  readonly format: StatementFormat;
  readonly text: string;
}

/** OFX needs many more bytes than the 1 MiB of JSON that an import takes. */
const LARGEST_BYTES = 16 * MIB;
const BY_EXTENSION: Readonly<Record<string, StatementFormat>> = {
  csv: 'csv',
  tsv: 'csv',
  ofx: 'ofx',
  qfx: 'ofx',
  json: 'json',
};
/** How many characters are read to detect a format. */
const HEAD_CHARACTERS = 4_096;
/**
 * The bytes 0x80 to 0x9f, where windows-1252 differs from latin1. TextDecoder of Node 20 treats the two as one
 * (nodejs/node#56542).
 */
const WESTERN =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';
const FIRST_WESTERN = 0x80;

/** Reads a file, or stdin for `-`. Throws UsageError when it can't be read, or a refusal. Neither quotes the file. */
export async function readStatement(path: string, format?: StatementFormat): Promise<StatementFile> {
  return statementOf(await readBytes(path), format ?? formatOfName(path));
}

/** Parses the bytes. Their content decides the format unless it is known. */
export function statementOf(bytes: Buffer, known?: StatementFormat): StatementFile {
  if (bytes.length === 0) throw statementRefused('The file is empty');
  const marked = utf16Text(bytes);
  const head = (marked ?? bytes.toString('latin1', 0, HEAD_CHARACTERS)).slice(0, HEAD_CHARACTERS);
  const format = known ?? formatOfContent(head);
  const text = marked ?? TEXT_OF[format](bytes);
  if (isWide(text)) throw notUtf8('The file is UTF-16 or UTF-32 without the right byte order mark');
  return { format, text: withoutByteOrderMark(text) };
}

const TEXT_OF: Readonly<Record<StatementFormat, (bytes: Buffer) => string>> = {
  csv: tableText,
  ofx: ofxText,
  json: utf8Text,
};

async function readBytes(path: string): Promise<Buffer> {
  const source = await openSource(path);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of source.content) {
      chunks.push(chunk as Buffer);
      length += (chunk as Buffer).length;
      if (length > LARGEST_BYTES) {
        throw statementRefused(`The file is larger than ${LARGEST_BYTES} bytes`, { hint: 'split it' });
      }
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw unreadable(error);
  } finally {
    source.close();
  }
  return Buffer.concat(chunks);
}

function formatOfName(path: string): StatementFormat | undefined {
  const extension = /\.([A-Za-z]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined;
}

function formatOfContent(head: string): StatementFormat {
  const start = head.replace(/^\xef\xbb\xbf/, '').trimStart();
  if (/^OFXHEADER\s*:|<\?OFX\s|<OFX>/i.test(start)) return 'ofx';
  if (/^[[{]/.test(start)) return 'json';
  if (/[,;\t]|^"?sep=/i.test(start)) return 'csv';
  throw new UsageError('The file looks like none of csv, ofx and json', 'choose one with --format');
}

/** Throws a refusal that names the first line with a byte that isn't UTF-8. */
function utf8Text(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, start);
    if (!isUtf8(bytes.subarray(start, end === -1 ? bytes.length : end))) break;
    start = end + 1;
  }
  throw notUtf8(`Line ${line} is not UTF-8 text`);
}

function notUtf8(message: string): CliError {
  return statementRefused(message, { hint: 'save the file as UTF-8' });
}

/** Characters of two or four bytes that were read as others: about each second one is NUL. */
function isWide(text: string): boolean {
  const head = text.slice(0, HEAD_CHARACTERS);
  return head.split('\0').length - 1 > head.length / 4;
}

/** UTF-16 by its byte order mark; undefined without one. Throws a refusal when the rest is no such text. */
function utf16Text(bytes: Buffer): string | undefined {
  const mark = bytes.toString('hex', 0, 2);
  if (mark !== 'fffe' && mark !== 'feff') return undefined;
  return decoded(bytes, mark === 'fffe' ? 'utf-16le' : 'utf-16be') ?? utf8Text(bytes);
}

/** Undefined if the bytes are no text of this encoding, or nobody knows the encoding. */
function decoded(bytes: Buffer, encoding: string): string | undefined {
  return attempt(() => new TextDecoder(encoding, { fatal: true }).decode(bytes));
}

/** A sequence of UTF-8 in a text that isn't UTF-8, or a byte that windows-1252 doesn't have: the text is damaged. */
const NOT_WESTERN = /[\xc2-\xf4][\x80-\xbf]|[\x00\x81\x8d\x8f\x90\x9d]/;

/** A table says nowhere how it is encoded: UTF-8, or else windows-1252, which Excel writes. */
function tableText(bytes: Buffer): string {
  if (isUtf8(bytes) || NOT_WESTERN.test(bytes.toString('latin1'))) return utf8Text(bytes);
  return westernText(bytes);
}

const CHARSETS =
  /\b(?:CHARSET|ENCODING)[ \t]*[:=][ \t]*["']?(iso[ _-]?8859[ _-]?\d+|windows[ _-]?\d+|[\w.-]+)/gi;
/** Banks write windows-1252 whether they name it, its subset latin1, ASCII, or nothing. */
const WESTERN_NAMES = /^(?:windows-1252|ansi|iso-8859-1|latin-?1|l1)$/i;
const NO_NAMES = /^(?:none|unicode|(?:us-?)?ascii)$/i;

/**
 * Each document is in the charset that it declares. Many declare windows-1252 but are UTF-8, so valid UTF-8 is read
 * as UTF-8.
 */
function ofxText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const documents = bytes.toString('latin1').split(/(?<=<\/OFX>)/i);
  const texts = documents.map((document) => {
    const part = Buffer.from(document, 'latin1');
    if (isUtf8(part)) return part.toString('utf8');
    const declared = [...document.slice(0, HEAD_CHARACTERS).matchAll(CHARSETS)].map(([, name = '']) =>
      name
        .replace(/^(?:windows|win|cp)?[ _-]?(125\d)$/i, 'windows-$1')
        .replace(/^(?:iso)?[ _-]?8859[ _-]?(\d+)$/i, 'iso-8859-$1'),
    );
    const names = declared.filter((name) => !NO_NAMES.test(name));
    if (names.some((name) => WESTERN_NAMES.test(name))) return westernText(part);
    if (names.length > 0) return names.map((name) => decoded(part, name)).find((text) => text !== undefined);
    return declared.length === 0 && NOT_WESTERN.test(document) ? undefined : westernText(part);
  });
  return texts.every((text) => text !== undefined) ? texts.join('') : utf8Text(bytes);
}

function westernText(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[\u0080-\u009f]/g, (character) => WESTERN.charAt(character.charCodeAt(0) - FIRST_WESTERN));
}

const EMPTY_BODY_BYTES = Buffer.byteLength('{"transactions":[]}');
const MOST_ROW_BYTES = IMPORT_LIMIT_BYTES - EMPTY_BODY_BYTES;

/**
 * Throws a refusal when the daemon would refuse the body for its size. The refusal gives the number of first rows
 * that would fit. An import is all or nothing, so only the user may split a file.
 */
export function checkSize(rows: readonly StatementRow[]): void {
  let bytes = EMPTY_BODY_BYTES;
  let fitting = 0;
  for (const [index, { members }] of rows.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(members)) + (index === 0 ? 0 : 1);
    if (bytes <= IMPORT_LIMIT_BYTES) fitting = index + 1;
  }
  if (bytes <= IMPORT_LIMIT_BYTES) return;
  const alone = rows.find(({ members }) => Buffer.byteLength(JSON.stringify(members)) > MOST_ROW_BYTES);
  if (alone !== undefined) {
    throw statementRefused(
      `Nothing was sent: ${alone.place} alone is more than an import takes, ${IMPORT_LIMIT_BYTES} bytes as JSON`,
      { hint: 'is a quote missing, so that the rest of the file is read as one text?' },
    );
  }
  throw statementRefused(
    `Nothing was sent: as JSON the rows are ${bytes} bytes, and one import takes ${IMPORT_LIMIT_BYTES}; ` +
      `the first ${fitting} of ${rows.length} rows would fit`,
    { hint: 'split the file: an import takes all of its rows or none' },
  );
}

/** Transactions in the API's form: `{"transactions": […]}` or the list. Throws a refusal for anything else. */
export function readJson(text: string): RowReading {
  const value = jsonOf(text);
  if (value === undefined) throw statementRefused('The file is not JSON');
  const list = isJsonObject(value) ? value['transactions'] : value;
  if (!Array.isArray(list)) {
    throw statementRefused('The file must contain {"transactions": [...]} or a list of transactions');
  }
  const rows: StatementRow[] = [];
  const mistakes: Mistake[] = [];
  for (const [index, row] of list.entries()) {
    const place = `transaction ${index + 1}`;
    if (isJsonObject(row)) rows.push({ place, members: row });
    else mistakes.push({ place, member: undefined, reason: 'must be an object' });
  }
  return { rows, mistakes };
}
