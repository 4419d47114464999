/** Creates the accounts of a persona from a seed: their numbers, and their balances before the first day. */
import type { PersonaAccount } from '../fixtures/bank-personas/index.ts';
import { decimal } from '../kernel/numbers/decimal.ts';
import type { Day } from '../kernel/time/civil-date.ts';
import { chanceOf, rangeOf, seedOf, type Chance } from './chance.ts';
import type { BankSimulationSource, SimulatedAccount } from './simulation.ts';

/** The weights for the check digit of a routing number: the weighted sum of the digits ends in 0. */
const ROUTING_WEIGHTS = [3, 7, 1, 3, 7, 1, 3, 7];
/** No real routing number begins with this digit. */
const UNASSIGNED = '9';
const MASK_DIGITS = 4;

/** A persona's account with its schedule. */
export interface KeptAccount extends SimulatedAccount {
  /** The last day with transactions; null for an open account. */
  readonly closes: Day | null;
  /** The day of the month after which a statement is made; null for an account without statements. */
  readonly statementDay: number | null;
}

/** In the order of the persona. All share one routing number, since they belong to one bank. */
export function createAccounts(
  accounts: readonly PersonaAccount[],
  { seed, anchor }: BankSimulationSource,
): KeptAccount[] {
  const routing = routingNumber(chanceOf(seedOf(`${seed}\0routing`), 0));
  return accounts.map(({ key, name, nickname, closed, account_type, currency, ...plan }) => {
    const chance = chanceOf(seedOf(`${seed}\0account\0${key}`), 0);
    const number = `${chance.between(1, 9)}${chance.fill('#'.repeat(plan.digits - 1))}`;
    return {
      key,
      name,
      nickname,
      closed,
      account_type,
      currency,
      mask: plan.masked === false ? null : number.slice(-MASK_DIGITS),
      opening:
        typeof plan.opening === 'string' ? decimal(plan.opening) : chance.amount(rangeOf(plan.opening)),
      limit: plan.limit === undefined ? null : decimal(plan.limit),
      numbers: account_type.startsWith('depository.') ? { routing, account: number } : null,
      closes: plan.closes === undefined ? null : anchor + plan.closes,
      statementDay: plan.statement_day ?? null,
    };
  });
}

/** The account's name in transactions of other accounts. */
export function labelOf({ name, mask }: Pick<SimulatedAccount, 'name' | 'mask'>): string {
  return mask === null ? name : `${name} x${mask}`;
}

function routingNumber(chance: Chance): string {
  const digits = chance.fill(`${UNASSIGNED}#######`);
  const sum = ROUTING_WEIGHTS.reduce((total, weight, place) => total + weight * Number(digits[place]), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
