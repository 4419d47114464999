/** Statements as CSV: a header, a row for each transaction, separated by `,`, `;` or tabs. */
import { CsvError, parse, type Info } from 'csv-parse/sync';
import {
  IMPORT_MEMBERS,
  TRANSACTION_TYPES,
  type ImportMember,
  type TransactionType,
} from '../../../contract/facts/banks.ts';
import { readAmount, fittingFormats, type DateReader } from './cells.ts';
import { countColumns, findColumns, type ColumnMember, type ColumnNames, type Columns } from './columns.ts';
import { statementRefused, onOneLine, type Mistake, type Reading, type StatementRow } from './rows.ts';

export interface CsvOptions {
  readonly columns: ColumnNames;
  readonly readDate: DateReader;
  readonly hasDecimalComma: boolean;
}

interface CsvLine {
  /** The line of the file on which it begins, from 1. */
  readonly number: number;
  readonly cells: readonly string[];
}

interface CsvRow extends CsvOptions {
  readonly place: string;
  /** The text of a member's cell, trimmed; undefined when there is none. */
  readonly cell: (member: ColumnMember) => string | undefined;
}

interface Failed {
  readonly reason: string;
}

type Read = string | boolean | Failed | undefined;

const SEPARATORS = [',', ';', '\t'] as const;

/** Throws a refusal for a file that is no such table. */
export function readCsv(text: string, options: CsvOptions): Reading {
  const lines = linesOf(text.replace(/\r\n?/g, '\n'), options.columns);
  const [header, ...body] = lines;
  if (header === undefined)
    throw statementRefused('The file is empty: a header is to stand in its first line');
  const columns = findColumns(header.cells, options.columns);
  const rows: StatementRow[] = [];
  const mistakes: Mistake[] = [];
  for (const line of body) {
    const place = `line ${line.number}`;
    const misfit = misfitOf(line, header);
    if (misfit !== undefined) mistakes.push({ place, member: undefined, reason: misfit });
    else rows.push(readRow(line, { ...options, place }, columns, mistakes));
  }
  return { rows, mistakes };
}

/** Which `--date-format` would read all dates of a file, where the present one doesn't. */
export function dateHint(
  text: string,
  { columns: names, readDate }: Pick<CsvOptions, 'columns' | 'readDate'>,
): string | undefined {
  const [header, ...body] = linesOf(text.replace(/\r\n?/g, '\n'), names);
  const at = header && findColumns(header.cells, names).get('date');
  if (at === undefined) return undefined;
  const dates = body.map(({ cells }) => cells[at] ?? '').filter((cell) => cell.trim() !== '');
  const formats = fittingFormats(dates);
  if (formats.length === 0) {
    const wrong = dates.filter((date) => readDate(date) === undefined);
    if (wrong.length === dates.length)
      return '--date-format says how the dates are written, such as DD.MM.YYYY';
    return wrong.some((date) => /\d/.test(date))
      ? undefined
      : 'lines that are no transactions, such as sums at the end, are to be taken out of the file';
  }
  const flags = formats.map((format) => `--date-format ${format}`);
  return flags.length === 1
    ? `${flags.join('')} reads all dates of the file`
    : `${flags.join(' and ')} read all dates of the file: say which is meant`;
}

function linesOf(text: string, names: ColumnNames): CsvLine[] {
  const headers = SEPARATORS.map((separator) => headerOf(text, separator));
  const known = headers.map((header) => countColumns(header, names));
  // Where no line is a header, the separator is the one that makes most cells.
  const counts = known.some((count) => count > 0) ? known : headers.map(({ length }) => length);
  const separator = SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ',';
  return parsed(text, separator);
}

function headerOf(text: string, separator: string): readonly string[] {
  try {
    return parsed(text, separator, 1)[0]?.cells ?? [];
  } catch {
    // Quotes that are wrong with this separator may be right with another.
    return [];
  }
}

function parsed(text: string, separator: string, to = -1): CsvLine[] {
  try {
    const found = parse(text, {
      ...{ delimiter: separator, record_delimiter: '\n', to, info: true },
      ...{ relax_column_count: true, skip_records_with_empty_values: true },
    }) as unknown as { info: Info; record: string[] }[];
    return found.map(({ info, record }) => ({ number: info.lines - lineEnds(record), cells: record }));
  } catch (error) {
    if (error instanceof CsvError) throw misquoted(error);
    throw error;
  }
}

/** The parser counts to where a row ends. */
function lineEnds(cells: readonly string[]): number {
  return cells.reduce((sum, cell) => sum + cell.split('\n').length - 1, 0);
}

/** The parser's own message quotes what it met. */
function misquoted(error: CsvError): Error {
  const line = 'lines' in error && typeof error.lines === 'number' ? ` in line ${error.lines}` : '';
  return error.code === 'CSV_QUOTE_NOT_CLOSED'
    ? statementRefused(`A quoted text that begins${line} has no end`)
    : statementRefused(`A quote${line} is where none may be`, {
        hint: 'a text with quotes in it is quoted as a whole, and its own quotes are doubled',
      });
}

function misfitOf({ cells }: CsvLine, header: CsvLine): string | undefined {
  const width = header.cells.length;
  if (cells.length < width) return 'has fewer columns than the header';
  return cells.slice(width).some((cell) => cell.trim() !== '')
    ? 'has more columns than the header'
    : undefined;
}

function readRow(
  { cells }: CsvLine,
  options: CsvOptions & { readonly place: string },
  columns: Columns,
  mistakes: Mistake[],
): StatementRow {
  const { place } = options;
  const cell = (member: ColumnMember) => {
    const at = columns.get(member);
    return onOneLine((at === undefined ? undefined : cells[at]) ?? '') || undefined;
  };
  const row: CsvRow = { ...options, cell };
  const money = moneyOf(row);
  const members: Record<string, unknown> = {};
  for (const member of IMPORT_MEMBERS) {
    const read = member in money ? money[member] : readMember(row, member);
    if (typeof read === 'object') mistakes.push({ place, member, reason: read.reason });
    else if (read !== undefined) members[member] = read;
  }
  return { place, members };
}

function readMember({ cell, readDate }: CsvRow, member: ImportMember): Read {
  const text = cell(member);
  if (text === undefined) return undefined;
  if (member === 'date') return readDate(text) ?? { reason: 'is no date in the format that is expected' };
  if (member === 'type') return TYPES[text.toLowerCase()] ?? { reason: 'must be debit or credit' };
  if (member === 'pending')
    return CLAIMS[text.toLowerCase()] ?? { reason: 'must be true or false, pending or posted' };
  return text;
}

const TYPES: Readonly<Record<string, string>> = {
  debit: 'debit',
  dr: 'debit',
  credit: 'credit',
  cr: 'credit',
};
const CLAIMS: Readonly<Record<string, boolean>> = {
  ...{ true: true, yes: true, '1': true, pending: true },
  ...{ false: false, no: false, '0': false, posted: false, booked: false, cleared: false, completed: false },
};

/** Amount, and what belongs to it: the direction where columns give it, the currency that stands beside it. */
function moneyOf(row: CsvRow): Record<string, Read> {
  const { cell, hasDecimalComma } = row;
  const sides = cell('amount') === undefined ? sidesOf(row) : [];
  if (sides.length > 1) return { amount: { reason: 'is in both columns, debit and credit' } };
  const side = sides[0];
  const text = cell(side ?? 'amount');
  if (text === undefined) return {};
  const amount = readAmount(text, hasDecimalComma);
  if (amount === undefined) return { amount: { reason: amountReason(text, hasDecimalComma) } };
  if (side === 'credit' && /^-.*[1-9]/.test(amount.text))
    return { amount: { reason: 'is negative in the column of credits' } };
  const currency = cell('currency') ?? amount.currency;
  const isOther = amount.currency !== undefined && amount.currency !== currency;
  return {
    // The column says that it went out, with a minus or without.
    amount: side === 'debit' ? amount.text.replace('-', '') : amount.text,
    ...(side !== undefined && { type: side }),
    currency: isOther ? { reason: 'is another than the one beside the amount' } : currency,
  };
}

/** A zero beside an amount on the other side is an empty cell. */
function sidesOf({ cell, hasDecimalComma }: CsvRow): TransactionType[] {
  const sides = TRANSACTION_TYPES.filter((side) => cell(side) !== undefined);
  const isZero = (side: TransactionType) =>
    /^-?0(?:\.0+)?$/.test(readAmount(cell(side) ?? '', hasDecimalComma)?.text ?? '');
  const moving = sides.filter((side) => !isZero(side));
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
