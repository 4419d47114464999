/**
 * Rows of a statement: their shape, their ids, and the errors about them (contract §7.4). A message names a row's
 * place in the file, a member and a reason, never a value.
 *
 * A FITID is unique only within its account, but an API id on the whole link, so the id contains the account. The
 * same transaction gets the same id from every statement.
 */
import { counted } from '../../../../kernel/text/count-text.ts';
import { createHash } from 'node:crypto';
import { TRANSACTION_ID, IMPORT_REASONS, type TransactionType } from '../../facts.ts';
import { parseDecimal } from '../../../../kernel/numbers/decimal.ts';
import { ApiError } from '../../../../client/errors.ts';
import type { BankLink } from '../../endpoints/records.ts';
import { CliError } from '../../../../cli/shell/failure.ts';

export interface StatementRow {
  /** Where the row begins: `line 3` of a CSV file, `transaction 3` of other formats. */
  readonly place: string;
  /** The bank's number of the account, if the file has it. It is not sent. */
  readonly bankAccount?: string | undefined;
  /** The bank's id of the transaction within its account, if it has one. It is not sent in this form. */
  readonly fitId?: string | undefined;
  readonly members: Readonly<Record<string, unknown>>;
}

export interface Mistake {
  readonly place: string;
  /** Undefined for a mistake of the row as a whole. */
  readonly member: string | undefined;
  readonly reason: string;
}

/** Trims the text and replaces line ends and tabs, which the import refuses. */
export function onOneLine(text: string): string {
  return text.trim().replace(/[ \t\n\v\f\r]+/g, (blanks) => (/^ +$/.test(blanks) ? blanks : ' '));
}

/** The day of a row. */
export function dateOf(members: StatementRow['members']): string {
  return String(members['date']).slice(0, 'YYYY-MM-DD'.length);
}

/** The direction that the import gives a valid row: its own, or that of its sign. A zero has none. */
export function typeOf(members: StatementRow['members']): TransactionType {
  const isNegative = (parseDecimal(String(members['amount'])) ?? 0n) < 0n;
  return (members['type'] ?? (isNegative ? 'debit' : 'credit')) as TransactionType;
}

/** A member with a mistake is absent from its row. */
export interface RowReading {
  readonly rows: readonly StatementRow[];
  readonly mistakes: readonly Mistake[];
  /** Where a member is in the file, such as ` (column 2)`; absent for a file without columns. */
  readonly columnOf?: (member: string) => string;
}

const HASH_PREFIX = 'ofx-';
const HASH_DIGITS = 40;

/** Gives ids to rows with a FITID, once their account on the link is known. */
export function numberRows(rows: readonly StatementRow[]): StatementRow[] {
  return rows.map((row) => {
    const account = row.members['account_id'];
    if (row.fitId === undefined || typeof account !== 'string') return row;
    return { ...row, members: { ...row.members, transaction_id: transactionId(account, row.fitId) } };
  });
}

/** `<account>.<FITID>` if that is a valid id, or else a hash of both. */
function transactionId(account: string, fitId: string): string {
  const id = `${account}.${fitId}`;
  if (TRANSACTION_ID.test(id)) return id;
  const hash = createHash('sha256')
    .update(JSON.stringify([account, fitId]))
    .digest('hex');
  return HASH_PREFIX + hash.slice(0, HASH_DIGITS);
}

const MEMBER_OF_ROW = /^transactions\[(\d{1,9})\](?:\.(\w+))?$/;

/** The file as a whole cannot be imported. `message` and `hint` contain nothing from the file. */
export function statementRefused(
  message: string,
  { hint, context }: { hint?: string | undefined; context?: Readonly<Record<string, string>> } = {},
): CliError {
  return new CliError(message, { code: 'statement_refused', hint, context });
}

/**
 * The mistakes by `place, member`: as many as the daemon reports for one import, plus the total. `refused`: mistakes
 * that the daemon reported, whose list may be cut. A CSV file has the column behind the member.
 */
export function rowsRefused(
  mistakes: readonly Mistake[],
  {
    hint,
    refused = [],
    columnOf = () => '',
  }: {
    hint?: string | undefined;
    refused?: readonly Mistake[];
    columnOf?: RowReading['columnOf'] | undefined;
  } = {},
): CliError {
  const places = new Set(mistakes.map(({ place }) => place)).size;
  const shown = mistakes.slice(0, IMPORT_REASONS);
  const rest = mistakes.length - shown.length;
  const message =
    `Nothing was imported: ${refused.length < IMPORT_REASONS ? '' : 'at least '}` +
    `${counted(mistakes.length, 'mistake')} in ${counted(places, 'row')}` +
    (rest === 0 ? '' : `; the first ${IMPORT_REASONS} are listed, ${rest} more are not`);
  const context = Object.fromEntries(
    shown.map(({ place, member, reason }) => [
      member === undefined ? place : `${place}, ${member}${columnOf(member)}`,
      reason,
    ]),
  );
  return statementRefused(message, { hint, context });
}

/** Maps the daemon's refusal of rows to their places in the file. Throws any other error. */
export function mistakesOf(error: unknown, rows: readonly StatementRow[]): Mistake[] {
  const reasons = error instanceof ApiError && error.code === 'invalid_request' ? (error.context ?? {}) : {};
  const mistakes = Object.entries(reasons).flatMap(([name, reason]) => {
    const [, index, member] = MEMBER_OF_ROW.exec(name) ?? [];
    const place = index === undefined ? undefined : rows[Number(index)]?.place;
    return place === undefined ? [] : [{ place, member, reason }];
  });
  if (mistakes.length === 0) throw error;
  return mistakes;
}

/** Checks what the daemon would check, for an import that sends nothing: a disconnected link takes no rows. */
export function requireConnected({ id, state }: Pick<BankLink, 'id' | 'state'>): void {
  if (state !== 'error') return;
  throw new CliError('This bank link is disconnected: it has to be connected again', {
    code: 'link_disconnected',
    hint: `kyclone bank link --link ${id} connects it again`,
  });
}
