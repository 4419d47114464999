/** Creates the accounts of a persona from a seed: their numbers, and their balances before the first day. */
import type { PersonaAccount } from '../fixtures/bank-personas/index.ts';
import { decimal, type Decimal } from '../kernel/decimal.ts';
import { chanceOf, seedOf, type Chance } from './chance.ts';
import type { BankEntry, SimulatedAccount } from './simulation.ts';

/** The weights for the check digit of a routing number: the weighted sum of the digits ends in 0. */
const ROUTING_WEIGHTS = [3, 7, 1, 3, 7, 1, 3, 7];
/** No real routing number begins with this digit. */
const UNASSIGNED = '9';
const MASK_DIGITS = 4;

/** In the order of the persona. All share one routing number, since they belong to one bank. */
export function createAccounts(accounts: readonly PersonaAccount[], seed: string): SimulatedAccount[] {
  const routing = routingNumber(chanceOf(seedOf(`${seed}\0routing`), 0));
  return accounts.map((account) => {
    const chance = chanceOf(seedOf(`${seed}\0account\0${account.key}`), 0);
    const number = `${chance.between(1, 9)}${chance.fill('#'.repeat(account.digits - 1))}`;
    return {
      key: account.key,
      name: account.name,
      nickname: account.nickname,
      mask: account.masked === false ? null : number.slice(-MASK_DIGITS),
      closed: account.closed,
      account_type: account.account_type,
      currency: account.currency,
      opening: openingOf(account, chance),
      limit: account.limit === undefined ? null : decimal(account.limit),
      numbers: account.account_type.startsWith('depository.') ? { routing, account: number } : null,
    };
  });
}

/** Whether the balance is a debt. */
export function isLiability({ account_type: type }: Pick<SimulatedAccount, 'account_type'>): boolean {
  return type.startsWith('liability.');
}

/** The change of the account's balance by an amount; negative for a decrease. */
export function effectOn(
  account: Pick<SimulatedAccount, 'account_type'>,
  { type, amount }: Pick<BankEntry, 'type' | 'amount'>,
): Decimal {
  return (type === 'debit') === isLiability(account) ? amount : -amount;
}

/** The account's name in transactions of other accounts. */
export function labelOf({ name, mask }: Pick<SimulatedAccount, 'name' | 'mask'>): string {
  return mask === null ? name : `${name} x${mask}`;
}

function openingOf({ opening }: PersonaAccount, chance: Chance): Decimal {
  if (typeof opening === 'string') return decimal(opening);
  const [least, most] = opening;
  return chance.amount({ least: decimal(least), most: decimal(most) });
}

function routingNumber(chance: Chance): string {
  const digits = chance.fill(`${UNASSIGNED}#######`);
  const sum = ROUTING_WEIGHTS.reduce((total, weight, place) => total + weight * Number(digits[place]), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
