/** The rules of rows (contract §7.4), so that all that is wrong with a file is said by its lines before it is sent. */
import { parseDecimal } from '../../../kernel/decimal.ts';
import { readIsoDate } from './dates.ts';
import { ROW_MEMBERS, type Mistake, type RowMember, type StatementRow } from './rows.ts';

type Members = StatementRow['members'];
/** What is wrong with a value that is there; undefined when nothing is. */
type Rule = (value: unknown, members: Members) => string | undefined;

const REQUIRED: readonly RowMember[] = ['account_id', 'amount', 'date', 'description'];
const IMPORT_ID = /^[A-Za-z0-9_.-]{1,128}$/;

const CONTROL = /[\0-\x1f\x7f]/;

function textOf(least: number, most: number): Rule {
  return (value) => {
    if (typeof value !== 'string' || value.length < least || value.length > most) {
      return `must be a text of ${least} to ${most} characters`;
    }
    return CONTROL.test(value) ? 'contains a control character' : undefined;
  };
}

const RULES: Readonly<Record<Exclude<RowMember, 'account_id'>, Rule>> = {
  amount: (value) =>
    typeof value === 'string' && parseDecimal(value) !== undefined
      ? undefined
      : 'must be a decimal text with up to 12 digits and 4 decimals',
  date: (value) => (isDate(value) ? undefined : 'must be a date, YYYY-MM-DD, or a date-time'),
  description: textOf(1, 512),
  transaction_id: (value) =>
    typeof value === 'string' && IMPORT_ID.test(value)
      ? undefined
      : 'must be 1 to 128 letters, digits, dots, dashes or underscores',
  type: (value, { amount }) => {
    if (value !== 'debit' && value !== 'credit') return 'must be debit or credit';
    const isNegative = typeof amount === 'string' && (parseDecimal(amount) ?? 0n) < 0n;
    return value === 'credit' && isNegative ? 'must not be credit with a negative amount' : undefined;
  },
  raw_description: textOf(0, 512),
  category: textOf(1, 128),
  currency: (value) =>
    typeof value === 'string' && /^[A-Z]{3}$/.test(value)
      ? undefined
      : 'must be a currency code, such as USD',
  pending: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  datetime: (value) =>
    isDate(value) && /t/i.test(String(value)) ? undefined : 'must be a date-time with an offset',
};

/** What the rows of one import do wrong, in the order of the file; what is told already is not told again. */
export function checkRows(
  rows: readonly StatementRow[],
  { accountIds, told }: { readonly accountIds: ReadonlySet<string>; readonly told: readonly Mistake[] },
): Mistake[] {
  const known = new Set(told.map(({ place, member }) => `${place} ${member ?? ''}`));
  const placesById = new Map<string, string>();
  return rows.flatMap(({ place, members }) =>
    ROW_MEMBERS.flatMap((member) => {
      const value = members[member];
      const reason =
        member === 'account_id'
          ? accountReason(value, accountIds)
          : (ruleReason(member, members) ??
            (member === 'transaction_id' ? repeated(value, place) : undefined));
      return reason === undefined || known.has(`${place} ${member}`) ? [] : [{ place, member, reason }];
    }),
  );

  function repeated(value: unknown, place: string): string | undefined {
    if (typeof value !== 'string') return undefined;
    const first = placesById.get(value);
    if (first === undefined) placesById.set(value, place);
    return first && `is that of ${first} too`;
  }
}

function ruleReason(member: Exclude<RowMember, 'account_id'>, members: Members): string | undefined {
  const value = members[member];
  if (value !== undefined && value !== null) return RULES[member](value, members);
  return REQUIRED.includes(member) ? 'is missing' : undefined;
}

function accountReason(value: unknown, accountIds: ReadonlySet<string>): string | undefined {
  if (value === undefined || value === null) return 'is missing';
  return typeof value === 'string' && accountIds.has(value) ? undefined : 'is no account of the link';
}

function isDate(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const date = value.toUpperCase();
  return readIsoDate(date) === date;
}
