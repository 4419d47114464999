/** Statements as CSV: a header, and one row for each transaction, separated by `,`, `;` or tabs. */
import { CsvError, parse, type Info } from 'csv-parse/sync';
import {
  IMPORT_MEMBERS,
  TRANSACTION_TYPES,
  type ImportMember,
  type TransactionType,
} from '../../../contract/facts/banks.ts';
import { readAmount, fittingFormats, type DateReader } from './cells.ts';
import { countColumns, findColumns, type ColumnMember, type ColumnNames, type Columns } from './columns.ts';
import { statementRefused, onOneLine, type Mistake, type RowReading, type StatementRow } from './rows.ts';

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

interface CsvRow extends CsvOptions {
  readonly place: string;
  /** The trimmed text of a member's cell; undefined if there is none. */
  readonly cell: (member: ColumnMember) => string | undefined;
}

interface Failed {
  readonly reason: string;
}

type Read = string | boolean | Failed | undefined;

const SEPARATORS = [',', ';', '\t'] as const;

/** Throws a refusal when the file is not such a table. */
export function readCsv(text: string, options: CsvOptions): RowReading {
  const lines = linesOf(text.replace(/\r\n?/g, '\n'), options.columns);
  const [header, ...body] = lines;
  if (header === undefined) throw statementRefused('The file is empty: its first line must be a header');
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

/** Suggests a `--date-format` that reads all dates of a file, when the present one doesn't. */
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

function linesOf(text: string, names: ColumnNames): CsvLine[] {
  const headers = SEPARATORS.map((separator) => headerOf(text, separator));
  const known = headers.map((header) => countColumns(header, names));
  // If no line is a header, uses the separator that makes most cells.
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

/** The parser counts lines to the end of a row. */
function lineEnds(cells: readonly string[]): number {
  return cells.reduce((sum, cell) => sum + cell.split('\n').length - 1, 0);
}

/** Replaces the parser's own message, which quotes the file. */
function misquoted(error: CsvError): Error {
  const line = 'lines' in error && typeof error.lines === 'number' ? ` in line ${error.lines}` : '';
  return error.code === 'CSV_QUOTE_NOT_CLOSED'
    ? statementRefused(`A quoted text that begins${line} is not closed`)
    : statementRefused(`A quote${line} is not allowed there`, {
        hint: 'quote a text with quotes in it as a whole, and double its own quotes',
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
  if (member === 'date') return readDate(text) ?? { reason: 'is not a date in the expected format' };
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

/** The amount, with the direction if columns give it, and the currency beside it. */
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
    return { amount: { reason: 'is negative in the credit column' } };
  const currency = cell('currency') ?? amount.currency;
  const isOther = amount.currency !== undefined && amount.currency !== currency;
  return {
    // The column marks it as a debit, with a minus or without.
    amount: side === 'debit' ? amount.text.replace('-', '') : amount.text,
    ...(side !== undefined && { type: side }),
    currency: isOther ? { reason: 'differs from the one beside the amount' } : currency,
  };
}

/** A zero counts as an empty cell if the other side has an amount. */
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
