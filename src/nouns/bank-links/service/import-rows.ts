/** Checks and parses the rows of an import (contract §7.4). Pure; no reason repeats a value. */
import { CURRENCY, DEFAULT_CURRENCY, IMPORT_REASONS, TRANSACTION_ID, TRANSACTION_TYPES } from '../facts.ts';
import { parseDate, type Day } from '../../../kernel/time/civil-date.ts';
import { parseDecimal } from '../../../kernel/numbers/decimal.ts';
import { Refusal } from '../../../vault/identifiers/index.ts';
import type { BankDetails } from './records.ts';

/** The data that rows are checked against. */
interface ImportTarget {
  readonly accounts: ReadonlySet<string>;
  /** Whether an investment transaction of the link has this id. */
  readonly isInvestment: (id: string) => boolean;
}

interface RowTarget extends ImportTarget {
  /** The ids of earlier rows; this row's id is added. */
  readonly earlierIds: Set<string>;
}

export interface ImportedRow {
  readonly account_id: string;
  /** Undefined: to be generated. */
  readonly transaction_id: string | undefined;
  readonly day: Day;
  readonly pending: boolean;
  readonly details: BankDetails;
}

export const ID_OF_INVESTMENT = 'is the id of an investment transaction of this link';

const CONTROL = /[\0-\x1f\x7f]/;
const DATE_TIME =
  /^\d{4}-\d\d-\d\d[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Parses a present member. */
type Reader<T> = (value: unknown) => T | Refusal;

const REFUSED = {
  ABSENT: new Refusal('is required'),
  ACCOUNT: new Refusal('is not an account of this link'),
  AMOUNT: new Refusal('must be a text of up to 12 digits, with up to 4 decimals'),
  DATE: new Refusal('must be a real date, YYYY-MM-DD, or a date-time with Z or an offset'),
  DATE_TIME: new Refusal('must be a real date-time in ISO 8601 form, with Z or an offset'),
  CONTROL: new Refusal('contains a control character'),
  ID: new Refusal('must be 1 to 128 of the characters A-Z, a-z, 0-9, _, . and -'),
  REPEATED: new Refusal('is that of an earlier row too'),
  INVESTMENT: new Refusal(ID_OF_INVESTMENT),
  TYPE: new Refusal(`must be ${TRANSACTION_TYPES.join(' or ')}`),
  SIGN: new Refusal('is credit, and the amount is negative'),
  CURRENCY: new Refusal('must be three capital letters'),
  BOOLEAN: new Refusal('must be true or false'),
} as const;

export function importedMember(row: number, member: string): string {
  return `transactions[${row}].${member}`;
}

/**
 * A row is an object; unknown members are ignored, and null counts as absent. Returns the valid rows, the number of
 * invalid ones, and the first fifty reasons, by `transactions[<i>].<member>`, in the order of rows and members.
 */
export function judgeRows(transactions: readonly Readonly<Record<string, unknown>>[], target: ImportTarget) {
  const reasons: Record<string, string> = {};
  const rows: ImportedRow[] = [];
  const rowTarget = { ...target, earlierIds: new Set<string>() };
  let count = 0;
  transactions.forEach((transaction, index) => {
    const row = readRow(transaction, rowTarget, (member, reason) => {
      if (count++ < IMPORT_REASONS) reasons[importedMember(index, member)] = reason;
    });
    if (row) rows.push(row);
  });
  return { rows, reasons, wrong: transactions.length - rows.length };
}

function readRow(
  row: Readonly<Record<string, unknown>>,
  target: RowTarget,
  refuse: (member: string, reason: string) => void,
): ImportedRow | undefined {
  const refused: string[] = [];
  /** Null when it is refused or absent; without `absent` it may be absent. */
  function read<T>(member: string, reader: Reader<T>, absent?: Refusal): T | null {
    const value = row[member] ?? null;
    const result = value === null ? absent : reader(value);
    if (!(result instanceof Refusal)) return result ?? null;
    refused.push(member);
    refuse(member, result.reason);
    return null;
  }
  const required = <T>(member: string, reader: Reader<T>) => read(member, reader, REFUSED.ABSENT);

  const account_id = required('account_id', accountOf(target.accounts));
  const amount = required('amount', readAmount);
  const date = required('date', readDate);
  const description = required('description', readDescription);
  const transaction_id = read('transaction_id', idOf(target));
  const type = read('type', typeOf(amount));
  const raw_description = read('raw_description', readRawDescription);
  const category = read('category', readCategory);
  const currency = read('currency', readCurrency);
  const pending = read('pending', readPending);
  const datetime = read('datetime', readDateTime);

  if (refused.length > 0 || account_id === null || amount === null || date === null) return undefined;
  if (description === null) return undefined;
  return {
    account_id,
    transaction_id: transaction_id ?? undefined,
    day: date.day,
    pending: pending ?? false,
    details: {
      type: type ?? (amount.isNegative ? 'debit' : 'credit'),
      amount: amount.unsigned,
      currency: currency ?? DEFAULT_CURRENCY,
      date: date.date,
      datetime: datetime ?? date.datetime,
      description,
      raw_description,
      category,
      enrichment: null,
    },
  };
}

function accountOf(accounts: ReadonlySet<string>): Reader<string> {
  return (value) => (typeof value === 'string' && accounts.has(value) ? value : REFUSED.ACCOUNT);
}

interface Amount {
  /** The digits as sent. */
  readonly unsigned: string;
  /** False for zero, even with a minus sign. */
  readonly isNegative: boolean;
}

const readAmount: Reader<Amount> = (value) => {
  if (typeof value !== 'string') return REFUSED.AMOUNT;
  const amount = parseDecimal(value);
  if (amount === undefined) return REFUSED.AMOUNT;
  return { unsigned: value.replace('-', ''), isNegative: amount < 0n };
};

interface ImportedDate {
  readonly day: Day;
  readonly date: string;
  readonly datetime: string | null;
}

/** The day of a date-time as written, ignoring its offset. */
const readDate: Reader<ImportedDate> = (value) => {
  if (typeof value !== 'string') return REFUSED.DATE;
  const date = value.slice(0, 'YYYY-MM-DD'.length);
  const day = parseDate(date);
  const isDate = value === date;
  if (day === undefined || !(isDate || DATE_TIME.test(value))) return REFUSED.DATE;
  return { day, date, datetime: isDate ? null : value };
};

const readDateTime: Reader<string> = (value) => {
  const read = readDate(value);
  return read instanceof Refusal ? REFUSED.DATE_TIME : (read.datetime ?? REFUSED.DATE_TIME);
};

function textOf(lengths: { least: number; most: number }): Reader<string> {
  const { least, most } = lengths;
  const refusedLength = new Refusal(`must be a text of ${least} to ${most} characters`);
  return (value) => {
    if (typeof value !== 'string' || value.length < least || value.length > most) return refusedLength;
    return CONTROL.test(value) ? REFUSED.CONTROL : value;
  };
}

const readDescription = textOf({ least: 1, most: 512 });
const readRawDescription = textOf({ least: 0, most: 512 });
const readCategory = textOf({ least: 1, most: 128 });

function idOf({ earlierIds, isInvestment }: RowTarget): Reader<string> {
  return (value) => {
    if (typeof value !== 'string' || !TRANSACTION_ID.test(value)) return REFUSED.ID;
    if (earlierIds.has(value)) return REFUSED.REPEATED;
    earlierIds.add(value);
    return isInvestment(value) ? REFUSED.INVESTMENT : value;
  };
}

function typeOf(amount: Amount | null): Reader<BankDetails['type']> {
  return (value) => {
    const type = TRANSACTION_TYPES.find((each) => each === value);
    if (!type) return REFUSED.TYPE;
    return type === 'credit' && amount?.isNegative ? REFUSED.SIGN : type;
  };
}

const readCurrency: Reader<string> = (value) =>
  typeof value === 'string' && CURRENCY.test(value) ? value : REFUSED.CURRENCY;

const readPending: Reader<boolean> = (value) => (typeof value === 'boolean' ? value : REFUSED.BOOLEAN);
