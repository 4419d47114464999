/**
 * What the readers of statements have in common. Rows hold what is imported; what is said about a row is its place in
 * the file, a member and a reason, never a value.
 */

/** The members of a row, as the import takes them (contract §7.4). */
export const ROW_MEMBERS = [
  'account_id',
  'amount',
  'date',
  'description',
  'transaction_id',
  'type',
  'raw_description',
  'category',
  'currency',
  'pending',
  'datetime',
] as const;
export type RowMember = (typeof ROW_MEMBERS)[number];

/** What a row without a currency is in (contract §7.4). */
export const DEFAULT_CURRENCY = 'USD';

export interface StatementRow {
  /** Where it begins: `line 3` of a CSV file, `transaction 3` of the others. */
  readonly place: string;
  /** The number of the account by which the bank knows it, where the file says so. It is not sent. */
  readonly bankAccount?: string | undefined;
  /** The id of it among those of its account, where the bank gives it one. It is not sent as it stands. */
  readonly fitId?: string | undefined;
  readonly members: Readonly<Record<string, unknown>>;
}

export interface Mistake {
  readonly place: string;
  /** Undefined for what is wrong with the row as such. */
  readonly member: string | undefined;
  readonly reason: string;
}

/** Trimmed, and without line ends and tabs within, which the import refuses. */
export function onOneLine(text: string): string {
  return text.trim().replace(/[ \t\n\v\f\r]+/g, (blanks) => (/^ +$/.test(blanks) ? blanks : ' '));
}

/** A member with a mistake is absent from its row. */
export interface Reading {
  readonly rows: readonly StatementRow[];
  readonly mistakes: readonly Mistake[];
}
