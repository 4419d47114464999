/** One run of `kyclone bank import`: reads the statement and sends the new rows. */
import { boolean, custom, option, string } from '@oclif/core/flags';
import type { Client } from '../../../client/client.ts';
import {
  ACCOUNT_HINT,
  assignAccounts,
  DUPLICATES,
  DUPLICATES_HINT,
  settleRepeats,
  unknownRows,
  type Duplicates,
} from './accounts.ts';
import { previewOf } from './preview.ts';
import { DIRECTIONS_HINT, type ColumnNames } from './columns.ts';
import { dateHint, readCsv } from './csv.ts';
import { readIsoDate, type DateReader, dateReader } from './cells.ts';
import {
  mistakesOf,
  requireConnected,
  rowsRefused,
  statementRefused,
  numberRows,
  type Mistake,
  type RowReading,
  type StatementRow,
} from './rows.ts';
import {
  readJson,
  checkSize,
  readStatement,
  type StatementFile,
  type StatementFormat,
} from './statement-file.ts';
import { readOfx } from './ofx.ts';
import { summarize, type ImportSummary } from './summary.ts';
import { CURRENCY } from '../../../contract/facts/banks.ts';
import { UsageError } from '../../shell/failure.ts';

export interface ImportOrder {
  readonly linkId: string;
  /** A path, or `-` for stdin. */
  readonly file: string;
  readonly format: StatementFormat | undefined;
  /** For rows that name no account. */
  readonly accountId: string | undefined;
  readonly currency: string | undefined;
  readonly columns: ColumnNames;
  /** Undefined means ISO dates. */
  readonly readDate: DateReader | undefined;
  readonly hasDecimalComma: boolean;
  readonly duplicates: Duplicates | undefined;
  readonly isDryRun: boolean;
}

/**
 * Imports all transactions of a statement, or none. The daemon checks the rows. If the file contains mistakes, or on
 * a dry run, it only checks them. Throws a refusal that names places in the file.
 */
export async function importStatement(client: Client, order: ImportOrder): Promise<ImportSummary> {
  const statement = await readStatement(order.file, order.format);
  const reading = readRows(statement, order);
  const params = { link_id: order.linkId };
  const { accounts } = await client.call('GET /bank_links/{link_id}/accounts', { params });
  const assigned = assignAccounts(reading.rows, { accounts, chosen: order.accountId });
  const numbered = numberRows(assigned).map((row) => withCurrency(row, order.currency));
  const { rows, mistakes: repeats } = settleRepeats(numbered, order.duplicates);
  const accountIds = new Set(accounts.map(({ id }) => id));
  const unknown = await unknownRows(client, rows, { link: order.linkId, accountIds });
  checkSize(unknown);
  const mistakes = [...reading.mistakes, ...repeats];
  const isTrial = order.isDryRun || mistakes.length > 0;
  const refused = unknown.length === 0 ? [] : await send(client, { params, rows: unknown, isTrial });
  const all = inOrder(joined(mistakes, refused));
  if (all.length > 0) throw rowsRefused(all, { hint: hintFor(all, { statement, order }), refused });
  if (rows.length === 0) throw statementRefused('The file contains no transactions');
  if (unknown.length === 0) requireConnected(await client.call('GET /bank_links/{link_id}', { params }));
  const known = rows.length - unknown.length;
  const skipped = order.duplicates === 'skip' ? numbered.length - rows.length : undefined;
  const { isDryRun } = order;
  const preview = isDryRun ? await previewOf(client, unknown, { link: order.linkId, accounts }) : undefined;
  return summarize(rows, { known, isDryRun, skipped, preview });
}

function readRows({ format, text }: StatementFile, order: Omit<ImportOrder, 'linkId' | 'file'>): RowReading {
  switch (format) {
    case 'csv':
      return readCsv(text, { ...order, readDate: order.readDate ?? readIsoDate });
    case 'ofx':
      return readOfx(text, { currency: order.currency, mayLackId: order.duplicates !== undefined });
    case 'json':
      return readJson(text);
  }
}

/** The mistakes that the daemon reports; none if it imported the rows, or would import them. */
async function send(
  client: Client,
  {
    params,
    rows,
    isTrial,
  }: {
    readonly params: { readonly link_id: string };
    readonly rows: readonly StatementRow[];
    readonly isTrial: boolean;
  },
): Promise<Mistake[]> {
  const query = isTrial ? { dry_run: true } : {};
  const body = { transactions: rows.map(({ members }) => members) };
  try {
    await client.call('POST /bank_links/{link_id}/import/transactions', { params, query, body });
    return [];
  } catch (error) {
    return mistakesOf(error, rows);
  }
}

/** The mistakes of the file's reader, plus those that the daemon reports for other members. */
function joined(mistakes: readonly Mistake[], refused: readonly Mistake[]): Mistake[] {
  const known = new Set(mistakes.map(({ place, member }) => `${place} ${member ?? ''}`));
  return [...mistakes, ...refused.filter(({ place, member }) => !known.has(`${place} ${member ?? ''}`))];
}

function withCurrency(row: StatementRow, currency: string | undefined): StatementRow {
  const isOwn = row.members['currency'] !== undefined && row.members['currency'] !== null;
  return isOwn || currency === undefined ? row : { ...row, members: { ...row.members, currency } };
}

/** Sorts by place; within a place, in the order found. */
function inOrder(mistakes: readonly Mistake[]): Mistake[] {
  return [...mistakes].sort((one, other) => one.place.localeCompare(other.place, 'en', { numeric: true }));
}

/** The hint that would fix most mistakes. */
function hintFor(
  mistakes: readonly Mistake[],
  { statement, order }: { readonly statement: StatementFile; readonly order: ImportOrder },
): string | undefined {
  const isWrong = (member: string) => mistakes.some((mistake) => mistake.member === member);
  if (isWrong('date') && statement.format === 'csv')
    return dateHint(statement.text, { ...order, readDate: order.readDate ?? readIsoDate });
  if (isWrong('account_id') && order.accountId === undefined) return ACCOUNT_HINT;
  if (isWrong('transaction_id') && order.duplicates === undefined && hasRepeats(mistakes, statement))
    return DUPLICATES_HINT;
  if (statement.format !== 'csv') return undefined;
  if (isWrong('type')) return DIRECTIONS_HINT;
  const unneeded = (['transaction_id', 'datetime', 'pending'] as const).find(isWrong);
  return unneeded === undefined ? undefined : `--columns ${unneeded}= ignores that column`;
}

/** Whether an id repeats, or an OFX file lacks one. */
function hasRepeats(mistakes: readonly Mistake[], { format }: StatementFile): boolean {
  return format === 'ofx' || mistakes.some(({ reason }) => reason.startsWith('is that of '));
}

export const importFlags = {
  duplicates: option({
    summary:
      'rows with the id of an earlier row, or OFX transactions without one: skip the later ones, or keep all ' +
      '(default: nothing is imported)',
    options: DUPLICATES,
  })(),
  columns: string({
    summary:
      'CSV: titles of the columns, such as date=Datum,amount=Betrag; an empty title leaves the member out; ' +
      'type=NAME:debit=WORD,credit=WORD gives the words of a column of directions; repeatable',
    helpValue: 'MEMBER=NAME',
    multiple: true,
    multipleNonGreedy: true,
  }),
  'date-format': custom<DateReader>({
    summary: 'CSV: how dates are written, such as MM/DD/YYYY (default: YYYY-MM-DD)',
    helpValue: 'FORMAT',
    parse: (text) => {
      const read = dateReader(text);
      if (read !== undefined) return Promise.resolve(read);
      const message = '--date-format takes a year, a month and a day, each once, such as DD.MM.YYYY';
      return Promise.reject(
        new UsageError(message, 'YYYY, YY, MM, M, MMM, DD, D; HH, mm and ss are ignored'),
      );
    },
  })(),
  'decimal-comma': boolean({ summary: 'CSV: amounts are written 1.234,56' }),
  currency: string({
    summary: 'the currency of rows that name none, such as EUR (default: USD)',
    helpValue: 'CODE',
    parse: (text) =>
      CURRENCY.test(text)
        ? Promise.resolve(text)
        : Promise.reject(new UsageError('--currency takes three capital letters, such as EUR')),
  }),
};
