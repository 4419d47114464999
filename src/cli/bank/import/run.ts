import type { Client } from '../../../client/client.ts';
import { ACCOUNT_HINT, assignAccounts } from './accounts.ts';
import type { ColumnNames } from './columns.ts';
import { dateHint, readCsv } from './csv.ts';
import { readIsoDate, type DateReader } from './dates.ts';
import { refusedByDaemon, requireConnected, rowsRefused, statementRefused } from './failures.ts';
import { numberRows } from './fit-ids.ts';
import {
  readJson,
  checkSize,
  readStatement,
  type Statement,
  type StatementFormat,
} from './statement-file.ts';
import { unknownRows } from './known-rows.ts';
import { readOfx } from './ofx.ts';
import { checkRows } from './row-rules.ts';
import type { Mistake, Reading, StatementRow } from './rows.ts';
import { summarize, type ImportSummary } from './summary.ts';

export interface ImportOrder {
  readonly linkId: string;
  /** A path, or `-` for stdin. */
  readonly file: string;
  readonly format: StatementFormat | undefined;
  /** For rows that name none. */
  readonly accountId: string | undefined;
  readonly currency: string | undefined;
  readonly columns: ColumnNames;
  /** Undefined: dates are ISO ones. */
  readonly readDate: DateReader | undefined;
  readonly hasDecimalComma: boolean;
  readonly isDryRun: boolean;
}

/**
 * Imports all transactions of a statement, or none: nothing is sent while a row is wrong or the whole is too large.
 * Throws a refusal that names places in the file, and what the daemon says, named alike.
 */
export async function importStatement(client: Client, order: ImportOrder): Promise<ImportSummary> {
  const statement = await readStatement(order.file, order.format);
  const reading = readRows(statement, order);
  const params = { link_id: order.linkId };
  const { accounts } = await client.call('GET /bank_links/{link_id}/accounts', { params });
  const assigned = assignAccounts(reading.rows, { accounts, chosen: order.accountId });
  const rows = numberRows(assigned).map((row) => withCurrency(row, order.currency));
  const accountIds = new Set(accounts.map(({ id }) => id));
  const mistakes = inOrder([...reading.mistakes, ...checkRows(rows, { accountIds, told: reading.mistakes })]);
  if (mistakes.length > 0) throw rowsRefused(mistakes, hintFor(mistakes, { statement, order }));
  if (rows.length === 0) throw statementRefused('The file holds no transactions');
  const { isDryRun } = order;
  const unknown = await unknownRows(client, rows, order.linkId);
  checkSize(unknown);
  if (isDryRun || unknown.length === 0)
    requireConnected(await client.call('GET /bank_links/{link_id}', { params }));
  else await send(client, { params, rows: unknown });
  return summarize(rows, { known: rows.length - unknown.length, isDryRun });
}

function readRows({ format, text }: Statement, order: Omit<ImportOrder, 'linkId' | 'file'>): Reading {
  switch (format) {
    case 'csv':
      return readCsv(text, { ...order, readDate: order.readDate ?? readIsoDate });
    case 'ofx':
      return readOfx(text);
    case 'json':
      return readJson(text);
  }
}

async function send(
  client: Client,
  { params, rows }: { readonly params: { readonly link_id: string }; readonly rows: readonly StatementRow[] },
): Promise<void> {
  const body = { transactions: rows.map(({ members }) => members) };
  try {
    await client.call('POST /bank_links/{link_id}/import/transactions', { params, body });
  } catch (error) {
    throw refusedByDaemon(error, rows);
  }
}

function withCurrency(row: StatementRow, currency: string | undefined): StatementRow {
  const isOwn = row.members['currency'] !== undefined && row.members['currency'] !== null;
  return isOwn || currency === undefined ? row : { ...row, members: { ...row.members, currency } };
}

/** By their places, in each as they were found. */
function inOrder(mistakes: readonly Mistake[]): Mistake[] {
  const number = ({ place }: Mistake) => Number(place.replace(/\D/g, ''));
  return [...mistakes].sort((one, other) => number(one) - number(other));
}

/** What would put most of it right. */
function hintFor(
  mistakes: readonly Mistake[],
  { statement, order }: { readonly statement: Statement; readonly order: ImportOrder },
): string | undefined {
  const isWrong = (member: string) => mistakes.some((mistake) => mistake.member === member);
  if (isWrong('date') && statement.format === 'csv')
    return dateHint(statement.text, { ...order, readDate: order.readDate ?? readIsoDate });
  if (isWrong('account_id') && order.accountId === undefined) return ACCOUNT_HINT;
  const unneeded = (['type', 'transaction_id', 'datetime', 'pending'] as const).find(isWrong);
  return unneeded === undefined || statement.format !== 'csv'
    ? undefined
    : `--columns ${unneeded}= leaves that column out`;
}
