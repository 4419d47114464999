/** Accounts in the form of the API, with their current and available balances (contract §7.1, §7.3). */
import type { BankAccount } from '../../contract/bank-records.ts';
import { timestamp } from '../../kernel/clock.ts';
import { decimal, decimalText, type Decimal } from '../../kernel/decimal.ts';
import type { Account } from './ledger.ts';
import type { AccountDetails } from './records.ts';

/** `pendingDebits` of this account; `holdings`: the value of an investment account's holdings. */
export interface AccountStanding {
  readonly pendingDebits: Decimal;
  readonly holdings: Decimal;
}

export function accountView(
  { id, key, details }: Account,
  link: { readonly id: string; readonly persona: string },
  standing: AccountStanding,
): BankAccount {
  const { name, nickname, mask, closed, account_type, currency, limit, balance_at } = details;
  const available = availableOf(details, standing.pendingDebits);
  return {
    id,
    link_id: link.id,
    name,
    nickname,
    mask,
    closed,
    account_type,
    balances: {
      available: available === null ? null : decimalText(available),
      balance_date: timestamp(balance_at),
      currency,
      current: decimalText(currentOf(details, standing.holdings)),
      limit,
    },
    raw_provider_data: { persona: link.persona, account: key },
  };
}

function currentOf({ account_type, current }: AccountDetails, holdings: Decimal): Decimal {
  return account_type.startsWith('investment.') ? decimal(current) + holdings : decimal(current);
}

/** Null for accounts without withdrawals. */
function availableOf(
  { account_type, current, limit }: AccountDetails,
  pendingDebits: Decimal,
): Decimal | null {
  const [family] = account_type.split('.', 1);
  if (family === 'investment') return decimal(current);
  if (family === 'depository') return decimal(current) - pendingDebits;
  const isCreditLine =
    account_type === 'liability.credit_card' || account_type === 'liability.line_of_credit';
  return isCreditLine && limit !== null ? decimal(limit) - decimal(current) - pendingDebits : null;
}
