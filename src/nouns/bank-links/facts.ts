/** Words and limits of bank links (contract §7). */
import type { Decimal } from '../../kernel/numbers/decimal.ts';
import { DAY_MS, HOUR_MS, MIB } from '../../kernel/numbers/units.ts';

/** Each product is refreshed separately. */
export const BANK_PRODUCTS = [
  'accounts',
  'account_numbers',
  'identity',
  'transactions',
  'investments',
] as const;
export type BankProduct = (typeof BANK_PRODUCTS)[number];

export const LINK_STATES = ['connected', 'error'] as const;
export type LinkState = (typeof LINK_STATES)[number];
export const LINK_ERRORS = ['auth_expired', 'institution_error'] as const;
export type LinkError = (typeof LINK_ERRORS)[number];
/** For people: what has happened, in events of a link (contract §9.2). */
export const LINK_ERROR_MESSAGES: Readonly<Record<LinkError, string>> = {
  auth_expired: 'The login at the bank has expired: connect the link again',
  institution_error: 'The bank does not respond, or rejects the connection',
};
/** A refresh failed although its link has no error. */
export const UNREADABLE_LINK_MESSAGE = 'The stored data of this link cannot be read';

/**
 * The least time between two requested refreshes of a product of a link with `bank.refresh_limits`, in milliseconds of
 * the clock; other products have no limit (contract §7.2).
 */
export const REFRESH_INTERVALS_MS: { readonly [Product in BankProduct]?: number } = {
  accounts: HOUR_MS,
  transactions: HOUR_MS,
  account_numbers: DAY_MS,
  identity: DAY_MS,
};

export const ACCOUNT_TYPES = [
  'depository.checking',
  'depository.savings',
  'depository.money_market',
  'depository.cd',
  'liability.credit_card',
  'liability.line_of_credit',
  'liability.loan',
  'liability.student_loan',
  'liability.mortgage',
  'investment.brokerage',
  'investment.ira',
  'investment.roth',
  'investment.401k',
  'investment.529',
  'other',
  'unknown',
] as const;
export type AccountType = (typeof ACCOUNT_TYPES)[number];

export const TRANSACTION_TYPES = ['debit', 'credit'] as const;
export type TransactionType = (typeof TRANSACTION_TYPES)[number];

/** Whether the balance is a debt. */
export function isLiability(accountType: AccountType): boolean {
  return accountType.startsWith('liability.');
}

/** By account id: the end of the account number if it is unique among the accounts; otherwise the name. */
export function accountLabels(
  accounts: readonly {
    readonly id: string;
    readonly mask: string | null;
    readonly name: string;
    readonly nickname: string | null;
  }[],
): ReadonlyMap<string, string> {
  return new Map(
    accounts.map(({ id, mask, name, nickname }) => {
      const isAlone = accounts.filter((other) => other.mask === mask).length === 1;
      return [id, mask !== null && isAlone ? `…${mask}` : (nickname ?? name)];
    }),
  );
}

/** The change of the account's balance by a posted transaction: what is owed grows with a debit (contract §7.1). */
export function bankEffect(
  accountType: AccountType,
  { type, amount }: { readonly type: TransactionType; readonly amount: Decimal },
): Decimal {
  return (type === 'debit') === isLiability(accountType) ? amount : -amount;
}

export const INVESTMENT_TRANSACTION_TYPES = ['buy', 'sell', 'cash', 'fee', 'transfer'] as const;
export const SECURITY_TYPES = [
  'equity',
  'etf',
  'mutual_fund',
  'fixed_income',
  'cash',
  'cryptocurrency',
] as const;

/** The institution of a link that names none. */
export const DEFAULT_INSTITUTION = 'First Example Bank';
/** Suggestions on the hosted page, all made up; any other name can be typed. */
export const EXAMPLE_INSTITUTIONS = [
  DEFAULT_INSTITUTION,
  'Example Savings',
  'Example Credit Union',
  'Example Business Bank',
  'Example Brokerage',
  'Demo Federal Credit Union',
  'Harbour Sample Bank',
  'Lorem & Ipsum Bank',
  'Northern Sample Bank',
  'Placeholder Trust',
  'Sample National Bank',
  'Testville Community Bank',
] as const;
/** The longest name of an institution, in characters. */
export const INSTITUTION_LENGTH = 128;

/** The members of an imported row, the required ones first (contract §7.4). */
export const IMPORT_MEMBERS = [
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
export type ImportMember = (typeof IMPORT_MEMBERS)[number];
export const TRANSACTION_ID = /^[A-Za-z0-9_.-]{1,128}$/;
export const CURRENCY = /^[A-Z]{3}$/;
/** The currency of a row that names none. */
export const DEFAULT_CURRENCY = 'USD';
/** How many reasons for refused rows are reported individually. */
export const IMPORT_REASONS = 50;

export const IMPORT_LIMIT_BYTES = MIB;
