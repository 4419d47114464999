/** Transactions, holdings and securities in the form of the API (contract §7.1). */
import type {
  BankTransaction,
  Holding,
  InvestmentTransaction,
  Security,
} from '../../contract/bank-records.ts';
import { dateText } from '../../kernel/civil-date.ts';
import { decimalText, type Decimal } from '../../kernel/decimal.ts';
import { securityId } from './ledger.ts';
import type { TransactionRow } from './ledger-repository.ts';
import { timeOrNull } from './link-view.ts';
import type { BankDetails, InvestmentDetails } from './records.ts';
import type { Portfolio, SimulatedHolding, SimulatedSecurity } from '../../bank-simulation/simulation.ts';

export function bankTransactionView(
  { id, pending }: Pick<TransactionRow, 'id' | 'pending'>,
  accountId: string,
  details: BankDetails,
): BankTransaction {
  const { type, amount, currency, date, datetime, description, raw_description, category } = details;
  return {
    transaction_id: id,
    account_id: accountId,
    amount,
    currency,
    date,
    datetime,
    description,
    raw_description,
    category,
    enrichment: details.enrichment,
    pending: pending === 1,
    type,
  };
}

export function investmentTransactionView(
  { id }: Pick<TransactionRow, 'id'>,
  accountId: string,
  details: InvestmentDetails,
): InvestmentTransaction {
  const { type, amount, quantity, price, fees, security, currency, date, datetime, description } = details;
  return {
    investment_transaction_id: id,
    account_id: accountId,
    security_id: security === null ? null : securityId(security),
    type,
    amount,
    quantity,
    price,
    fees,
    currency,
    date,
    datetime,
    description,
  };
}

export function holdingView(holding: SimulatedHolding, accountId: string): Holding {
  return {
    account_id: accountId,
    security_id: securityId(holding.security),
    quantity: decimalText(holding.quantity, 0),
    cost_basis: moneyOrNull(holding.cost_basis),
    price: moneyOrNull(holding.price),
    price_datetime: timeOrNull(holding.price_at),
    value: moneyOrNull(holding.value),
  };
}

/** The securities with these keys, without duplicates. */
export function securitiesOf({ securities }: Portfolio, keys: Iterable<string | null>): Security[] {
  const wanted = new Set(keys);
  return securities.filter(({ key }) => wanted.has(key)).map(securityView);
}

function securityView({ key, close_price, close_day, ...security }: SimulatedSecurity): Security {
  const { name, currency, type, ticker, isin, sedol } = security;
  return {
    security_id: securityId(key),
    name,
    currency,
    type,
    ticker,
    isin,
    sedol,
    close_price: moneyOrNull(close_price),
    close_date: close_day === null ? null : dateText(close_day),
  };
}

function moneyOrNull(value: Decimal | null): string | null {
  return value === null ? null : decimalText(value);
}
