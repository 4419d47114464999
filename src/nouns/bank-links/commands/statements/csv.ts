/** Statements as CSV: a header, and one row for each transaction, separated by `,`, `;` or tabs. */
import { attempt } from '../../../../kernel/attempt.ts';
import { decimal } from '../../../../kernel/numbers/decimal.ts';
import { CsvError, parse, type Info } from 'csv-parse/sync';
import { IMPORT_MEMBERS, TRANSACTION_TYPES, type ImportMember, type TransactionType } from '../../facts.ts';
import { readAmount, fittingFormats, type Amount, type DateReader } from './cells.ts';
import {
  countColumns,
  DIRECTIONS_HINT,
  findColumns,
  type ColumnMember,
  type ColumnNames,
  type Columns,
} from './columns.ts';
import { directionOf, directionsIn } from './directions.ts';
import { CliError } from '../../../../cli/shell/failure.ts';
import { statementRefused, onOneLine, type Mistake, type RowReading, type StatementRow } from './rows.ts';
import { defined } from '../../../../kernel/defined.ts';

export interface CsvOptions {
  readonly columns: ColumnNames;
  readonly readDate: DateReader;
  readonly hasDecimalComma: boolean;
}

interface CsvLine {
  /** The line of the file where the row begins, from 1. */
  readonly number: number;
  readonly cells: readonly string[];
}

/** What a row needs to know of the rest of the file. */
interface RowContext extends CsvOptions {
  readonly place: string;
  /** Whether words give the directions in this file: an amount without a sign needs one. */
  readonly needsWord: boolean;
}

interface CsvRow extends RowContext {
  /** Whether the file has a column of debits, of credits, or both. */
  readonly hasSides: boolean;
  /** The trimmed text of a member's cell; undefined if there is none. */
  readonly cell: (member: ColumnMember) => string | undefined;
}

interface Failed {
  readonly reason: string;
}

type Read = string | boolean | Failed | undefined;

const SEPARATORS = [',', ';', '\t'] as const;

/** Throws a refusal when the file is not such a table, or may give directions in a column that is not read. */
export function readCsv(text: string, options: CsvOptions): RowReading {
  const [header, ...body] = linesOf(text, options.columns);
  if (header === undefined) throw statementRefused('The file is empty: its first line must be a header');
  const { columns, needsWord } = withDirections(header, body, options);
  const rows: StatementRow[] = [];
  const mistakes: Mistake[] = [];
  for (const line of body) {
    const place = `line ${line.number}`;
    const misfit = misfitOf(line, header);
    if (misfit !== undefined) mistakes.push({ place, member: undefined, reason: misfit });
    else rows.push(readRow(line, { ...options, place, needsWord }, columns, mistakes));
  }
  return { rows, mistakes, columnOf: (member) => columnText(columns, member) };
}

/** The titles are not shown: the first line of a file without a header contains values. */
function columnText(columns: Columns, member: string): string {
  const isSplit = member === 'amount' && !columns.has('amount');
  const members: readonly string[] = isSplit ? TRANSACTION_TYPES : [member];
  const numbers = [...columns].flatMap(([each, at]) => (members.includes(each) ? [at + 1] : []));
  return numbers.length === 0 ? '' : ` (column${numbers.length === 1 ? '' : 's'} ${numbers.join(' and ')})`;
}

/**
 * The columns with the one that gives the directions. Signs of the amounts, or a pair of columns, make one
 * unnecessary. Throws a refusal if a column may be the one but cannot be read for certain.
 */
function withDirections(
  header: CsvLine,
  body: readonly CsvLine[],
  { columns: names, hasDecimalComma }: CsvOptions,
): { columns: Columns; needsWord: boolean } {
  const found = findColumns(header.cells, names);
  const [amountAt, typeAt] = [found.get('amount'), found.get('type')];
  if (amountAt === undefined || found.has('debit') || found.has('credit'))
    return { columns: found, needsWord: false };
  const amounts = body.map(({ cells }) => readAmount(cells[amountAt] ?? '', hasDecimalComma));
  const hasSigns = amounts.some((amount) => amount !== undefined && amount.sign !== '');
  const cellsAt = (at: number) => body.map(({ cells }) => (cells[at] ?? '').trim());
  const ways = typeAt === undefined ? [] : cellsAt(typeAt).map((cell) => directionOf(cell, names.words));
  const hasWays = ways.some((way) => way !== undefined);
  if (hasWays || names.words !== undefined) {
    // Kinds such as fees among the directions, which the signs repeat.
    const hasOthers = ways.some((way, row) => way === undefined && cellsAt(typeAt ?? 0)[row] !== '');
    const isRepeated = ways.every((way, row) => agree(way, amounts[row]));
    if (hasSigns && hasOthers && isRepeated && !names.has('type'))
      return { columns: without(found, 'type'), needsWord: false };
    const isUnsignedDebit = (row: number) => ways[row] === 'debit' && amounts[row]?.sign === '';
    return { columns: found, needsWord: !hasSigns || ways.some((_, row) => isUnsignedDebit(row)) };
  }
  const isNamed = names.get('type') !== undefined && names.get('type') !== '';
  if (isNamed && cellsAt(typeAt ?? 0).some((cell) => cell !== ''))
    return { columns: found, needsWord: false };
  const plain = names.has('type') ? found : without(found, 'type');
  const members = new Map([...plain].map(([member, at]) => [at, member]));
  const candidates = header.cells.flatMap((_, at) => {
    const member = members.get(at);
    const kind = member !== undefined && names.has(member) ? undefined : directionsIn(cellsAt(at));
    // A category or a memo of words such as debit and credit gives the directions too.
    return kind === undefined || (member !== undefined && kind === 'possible') ? [] : [{ at, kind }];
  });
  const [only, ...others] = candidates.filter(({ kind }) => kind === 'certain');
  if (hasSigns) {
    const isContradicted =
      only !== undefined &&
      cellsAt(only.at).some((cell, row) => !agree(directionOf(cell, undefined), amounts[row]));
    if (isContradicted) throw unreadDirections(only.at, 'The signs of the amounts contradict');
    // A column of another kind, such as card payments and transfers, is no column of directions.
    return { columns: plain, needsWord: false };
  }
  if (only && others.length === 0 && !names.has('type'))
    return { columns: new Map([...plain, ['type', only.at]]), needsWord: true };
  const unread = candidates.find(({ at }) => at !== typeAt);
  if (unread !== undefined) throw unreadDirections(unread.at, 'The amounts have no sign; it may be given by');
  return { columns: found, needsWord: false };
}

function unreadDirections(at: number, problem: string): Error {
  return statementRefused(`${problem} column ${at + 1}, which is not read`, { hint: DIRECTIONS_HINT });
}

function agree(way: TransactionType | undefined, amount: Amount | undefined): boolean {
  return way === undefined || amount === undefined || (way === 'debit') === (amount.sign === '-');
}

function without(columns: Columns, member: ColumnMember): Columns {
  return new Map([...columns].filter(([each]) => each !== member));
}

/** Suggests a `--date-format` that reads all dates of a file, when the present one doesn't. */
export function dateHint(
  text: string,
  { columns: names, readDate }: Pick<CsvOptions, 'columns' | 'readDate'>,
): string | undefined {
  const [header, ...body] = linesOf(text, names);
  const at = header && findColumns(header.cells, names).get('date');
  if (at === undefined) return undefined;
  const dates = body.map(({ cells }) => cells[at] ?? '').filter((cell) => cell.trim() !== '');
  const formats = fittingFormats(dates);
  if (formats.length === 0) {
    const wrong = dates.filter((date) => readDate(date) === undefined);
    if (wrong.length === dates.length)
      return '--date-format gives the format of the dates, such as DD.MM.YYYY';
    return wrong.some((date) => /\d/.test(date))
      ? undefined
      : 'remove lines that are not transactions, such as totals at the end';
  }
  const flags = formats.map((format) => `--date-format ${format}`);
  return flags.length === 1
    ? `${flags.join('')} reads all dates of the file`
    : `${flags.join(' and ')} read all dates of the file: choose one`;
}

/** How many lines may stand before the heading: the name of the bank, the account, the period. */
const PREAMBLE_LINES = 100;
const LONGEST_HEADING = 16_384;
/** What Excel reads and writes as the first line. */
const SEPARATOR_LINE = /^"?sep=(.)"?\n/i;

/** The heading and the rows below it. Lines before a heading that is recognised are skipped. */
function linesOf(written: string, names: ColumnNames): CsvLine[] {
  const text = written.replace(/\r\n?/g, '\n');
  const [line = '', given] = SEPARATOR_LINE.exec(text) ?? [];
  const separators = given === undefined ? SEPARATORS : [given];
  let start = line.length;
  for (let skipped = 0; skipped <= PREAMBLE_LINES && start < text.length; skipped++) {
    const rest = text.slice(start);
    const separator = separatorOf(rest, separators, names);
    const heading = headerOf(rest, separator);
    if (isHeading(heading, names)) return parsed(text, separator, { start });
    const end = text.indexOf('\n', start);
    start = end === -1 ? text.length : end + 1;
  }
  // No heading is recognised: the first line is judged as one, or a wrong quote in it.
  const separator = separatorOf(text.slice(line.length), separators, names);
  return parsed(text, separator, { start: line.length, to: 1 });
}

function separatorOf(text: string, separators: readonly string[], names: ColumnNames): string {
  const headers = separators.map((separator) => headerOf(text, separator));
  const known = headers.map((header) => countColumns(header, names));
  // If no line is a header, uses the separator that makes most cells.
  const counts = known.some((count) => count > 0) ? known : headers.map(({ length }) => length);
  return separators[counts.indexOf(Math.max(...counts))] ?? ',';
}

function isHeading(cells: readonly string[], names: ColumnNames): boolean {
  try {
    return findColumns(cells, names).size > 0;
  } catch (error) {
    if (error instanceof CliError) return false;
    throw error;
  }
}

function headerOf(text: string, separator: string): readonly string[] {
  // Quotes that are wrong with this separator may be right with another.
  const rows = attempt(() => parsed(text.slice(0, LONGEST_HEADING), separator, { to: 1 }));
  return rows?.[0]?.cells ?? [];
}

/** Lines are numbered in the whole text, of which the part from `start` is parsed. */
function parsed(
  text: string,
  separator: string,
  { start = 0, to = -1 }: { readonly start?: number; readonly to?: number },
): CsvLine[] {
  const before = text.slice(0, start).split('\n').length - 1;
  const rest = text.slice(start);
  try {
    return recordsOf(rest, separator, to).map(({ info, record }) => ({
      number: before + info.lines - lineEnds(record),
      cells: record,
    }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { code, records, lines, column } = error as CsvError & Partial<Record<string, unknown>>;
    const isOpen = code === 'CSV_QUOTE_NOT_CLOSED';
    const line = isOpen ? lineAfter(rest, separator, Number(records)) : Number(lines);
    throw misquoted(isOpen, { line: before + line, column: Number(column) + 1 });
  }
}

function recordsOf(text: string, separator: string, to: number): { info: Info; record: string[] }[] {
  return parse(text, {
    delimiter: separator,
    record_delimiter: '\n',
    to,
    info: true,
    relax_column_count: true,
    skip_records_with_empty_values: true,
  }) as unknown as { info: Info; record: string[] }[];
}

/** The line where the row after this many begins: the parser says only where the file ends. */
function lineAfter(text: string, separator: string, count: number): number {
  const end = count === 0 ? 0 : (recordsOf(text, separator, count).at(-1)?.info.lines ?? 0);
  const next = text.split('\n').findIndex((line, at) => at >= end && line.trim() !== '');
  return next + 1;
}

/** The parser counts lines to the end of a row. */
function lineEnds(cells: readonly string[]): number {
  return cells.reduce((sum, cell) => sum + cell.split('\n').length - 1, 0);
}

/** Replaces the parser's own message, which quotes the file. */
function misquoted(isOpen: boolean, { line, column }: { line: number; column: number }): Error {
  return isOpen
    ? statementRefused(
        `In the row that begins in line ${line}, the quoted text of column ${column} has no end`,
      )
    : statementRefused(`A quote in line ${line}, column ${column} is not allowed there`, {
        hint: 'quote a text with quotes in it as a whole, and double its own quotes',
      });
}

function misfitOf({ cells }: CsvLine, header: CsvLine): string | undefined {
  const width = header.cells.length;
  const counts = `: ${cells.length}, not ${width}`;
  if (cells.length < width) return `has fewer columns than the header${counts}`;
  return cells.slice(width).some((cell) => cell.trim() !== '')
    ? `has more columns than the header${counts}`
    : undefined;
}

function readRow(
  { cells }: CsvLine,
  options: RowContext,
  columns: Columns,
  mistakes: Mistake[],
): StatementRow {
  const { place } = options;
  const cell = (member: ColumnMember) => {
    const at = columns.get(member);
    return onOneLine((at === undefined ? undefined : cells[at]) ?? '') || undefined;
  };
  const hasSides = TRANSACTION_TYPES.some((side) => columns.has(side));
  const row: CsvRow = { ...options, hasSides, cell };
  const money = moneyOf(row);
  const members: Record<string, unknown> = {};
  for (const member of IMPORT_MEMBERS) {
    const read = member in money ? money[member] : readMember(row, member);
    if (typeof read === 'object') mistakes.push({ place, member, reason: read.reason });
    else if (read !== undefined) members[member] = read;
  }
  return { place, members };
}

function readMember({ cell, readDate, columns: { words } }: CsvRow, member: ImportMember): Read {
  const text = cell(member);
  if (text === undefined) return undefined;
  if (member === 'date') return readDate(text) ?? { reason: 'is not a date in the expected format' };
  if (member === 'type') return directionOf(text, words) ?? { reason: 'must be debit or credit' };
  if (member === 'pending')
    return CLAIMS[text.toLowerCase()] ?? { reason: 'must be true or false, pending or posted' };
  return text;
}

const CLAIMS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  '1': true,
  pending: true,
  false: false,
  no: false,
  '0': false,
  posted: false,
  booked: false,
  cleared: false,
  completed: false,
};

/** The amount, with the direction if columns give it, and the currency beside it. */
function moneyOf(row: CsvRow): Record<string, Read> {
  const { cell, hasDecimalComma } = row;
  const sides = sidesOf(row);
  const whole = cell('amount');
  if (whole === undefined && sides.length > 1)
    return { amount: { reason: 'is in both columns, debit and credit' } };
  const side = sides.length === 1 ? sides[0] : undefined;
  const text = whole ?? (side && cell(side));
  if (text === undefined) return {};
  const amount = readAmount(text, hasDecimalComma);
  if (amount === undefined) return { amount: { reason: amountReason(text, hasDecimalComma) } };
  if (whole === undefined && side === 'credit' && isNegative(amount))
    return { amount: { reason: 'is negative in the credit column' } };
  if (whole !== undefined && !fitsSides(amount, row, sides))
    return { amount: { reason: 'does not fit the columns debit and credit' } };
  const currency = cell('currency') ?? amount.currency;
  const isOther = amount.currency !== undefined && amount.currency !== currency;
  const type = side ?? typeBeside(amount, row);
  return {
    // The column marks it as a debit, with a minus or without.
    amount: side === 'debit' ? amount.text.replace('-', '') : amount.text,
    ...defined({ type }),
    currency: isOther ? { reason: 'differs from the one beside the amount' } : currency,
  };
}

function isNegative({ text }: Amount): boolean {
  return /^-.*[1-9]/.test(text);
}

function isZero({ text }: Amount): boolean {
  return !/[1-9]/.test(text);
}

/** Whether the pair of columns, if there is one, gives a direction to an amount without a sign, and no other to one. */
function fitsSides(amount: Amount, row: CsvRow, sides: readonly TransactionType[]): boolean {
  const [side] = sides;
  if (isZero(amount) || !row.hasSides) return true;
  if (side === undefined || sides.length > 1) return amount.sign !== '';
  if (amount.sign !== '') return (side === 'debit') === (amount.sign === '-');
  const other = readAmount(row.cell(side) ?? '', row.hasDecimalComma)?.text.replace('-', '');
  return other !== undefined && decimal(other) === decimal(amount.text);
}

/** What is wrong with the word beside an amount; undefined if nothing is, so that the word is read. */
function typeBeside(amount: Amount, { cell, needsWord, columns: { words } }: CsvRow): Failed | undefined {
  const word = cell('type');
  if (word === undefined && needsWord && amount.sign === '' && !isZero(amount))
    return { reason: 'is missing beside an amount without a sign' };
  if (directionOf(word ?? '', words) !== 'debit') return undefined;
  if (amount.sign === '+') return { reason: 'is debit, and the amount has a plus' };
  return needsWord && amount.sign === '-'
    ? { reason: 'is debit, and the amount has a minus, unlike other debits of the file' }
    : undefined;
}

/** A zero counts as an empty cell if the other side has an amount. */
function sidesOf({ cell, hasDecimalComma }: CsvRow): TransactionType[] {
  const sides = TRANSACTION_TYPES.filter((side) => cell(side) !== undefined);
  const moving = sides.filter((side) => {
    const amount = readAmount(cell(side) ?? '', hasDecimalComma);
    return amount === undefined || !isZero(amount);
  });
  return sides.length === 2 && moving.length === 0 ? ['debit'] : moving.length === 0 ? sides : moving;
}

function amountReason(text: string, hasDecimalComma: boolean): string {
  const other =
    readAmount(text, !hasDecimalComma) === undefined ? '' : OTHER_SEPARATOR[String(hasDecimalComma)];
  return `must be an amount with up to 12 digits and 4 decimals${other ?? ''}`;
}

const OTHER_SEPARATOR: Readonly<Record<string, string>> = {
  false: ' (--decimal-comma reads 1.234,56)',
  true: ' (without --decimal-comma it is one)',
};
