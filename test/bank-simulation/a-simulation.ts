/** Bank simulations for tests, and sums of their transactions, computed without the engine. */
import fc from 'fast-check';
import { BANK_PERSONAS } from '../../src/fixtures/bank-personas/index.ts';
import { dayOf, startOfDay, type Day } from '../../src/kernel/time/civil-date.ts';
import { createBankSimulation } from '../../src/bank-simulation/index.ts';
import type {
  BankEntry,
  BankSimulation,
  SimulatedAccount,
  SimulatedEntry,
  BankSimulationState,
} from '../../src/bank-simulation/simulation.ts';

/** The day 2026-11-22. */
export const ANCHOR: Day = 20_779;

export function planOf(persona: string) {
  const found = BANK_PERSONAS.find(({ name }) => name === persona);
  if (!found) throw new Error('no such persona');
  return found;
}

export interface Life {
  readonly world: BankSimulation;
  readonly entries: readonly SimulatedEntry[];
  readonly state: BankSimulationState;
  readonly anchor: Day;
}

/** Runs a simulation over its history and over `daysAfter` days, the first of which is the anchor. */
export function live(persona: string, { seed = 'a seed', anchor = ANCHOR, daysAfter = 0 } = {}): Life {
  const world = createBankSimulation(persona, { seed, anchor });
  const entries: SimulatedEntry[] = [];
  let state = world.begin();
  while (state.through < anchor + daysAfter - 1) {
    const next = world.next(state);
    entries.push(...next.entries);
    state = next.state;
  }
  return { world, entries, state, anchor };
}

export function bankEntries({ entries }: Pick<Life, 'entries'>): BankEntry[] {
  return entries.filter((entry) => entry.ledger === 'bank');
}

/** Returns the entries of the flow with this key in the persona's plan. */
export function entriesOf(life: Pick<Life, 'entries'>, flow: string): BankEntry[] {
  const own = new RegExp(`^${flow}-\\d+(-\\w+)?$`);
  return bankEntries(life).filter(({ key }) => own.test(key));
}

export function accountOf({ world }: Pick<Life, 'world'>, key: string): SimulatedAccount {
  const account = world.accounts.find((each) => each.key === key);
  if (!account) throw new Error('no such account');
  return account;
}

/**
 * Returns what an entry adds to the balance. Contract §7.1: credits raise a depository account, debits raise a debt.
 */
export function effectOf(life: Pick<Life, 'world'>, { account, type, amount }: BankEntry): bigint {
  const grows = accountOf(life, account).account_type.startsWith('liability') ? 'debit' : 'credit';
  return type === grows ? amount : -amount;
}

/** Returns the balance at a moment: the opening balance and everything that posted before. */
export function postedBefore(life: Life, account: string, moment: number): bigint {
  return bankEntries(life)
    .filter((entry) => entry.account === account && (entry.posts_at ?? entry.at) < moment)
    .reduce((balance, entry) => balance + effectOf(life, entry), accountOf(life, account).opening);
}

/** Returns the balance after each transaction of the account, in order, pending ones included. */
export function runningBalances(life: Life, account: string): bigint[] {
  let balance = accountOf(life, account).opening;
  const own = bankEntries(life).filter((entry) => entry.account === account);
  return own.map((entry) => (balance += effectOf(life, entry)));
}

export const endOf = (day: Day): number => startOfDay(day + 1);

/** Draws any seed, and any day of a bit more than four years: all weekdays, all lengths of months. */
const anySource = fc.record({
  seed: fc.string({ minLength: 1, maxLength: 12 }),
  anchor: fc.integer({ min: 20_000, max: 21_500 }),
});

/** All personas but `large`, which takes long and has tests of its own. */
export const SMALL_PERSONAS = BANK_PERSONAS.map(({ name }) => name).filter((name) => name !== 'large');

type Source = typeof anySource extends fc.Arbitrary<infer T> ? T : never;

export const forAnySource = (numRuns: number, check: (source: Source) => void) =>
  fc.assert(fc.property(anySource, check), { numRuns });

/** Checks what holds for any source and each persona but `large`. */
export function forEachPersona(check: (persona: string, source: Source) => void): void {
  for (const persona of SMALL_PERSONAS) forAnySource(1, (source) => check(persona, source));
}

/** Returns the day of a text that is known to be a date. */
export const dayNamed = (date: string): Day => dayOf(Date.parse(`${date}T00:00:00Z`));
