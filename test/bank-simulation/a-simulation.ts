/** Simulated worlds, and the sums of their transactions, computed without the engine. */
import fc from 'fast-check';
import { BANK_PERSONAS } from '../../src/fixtures/bank-personas/index.ts';
import { dayOf, startOfDay, type Day } from '../../src/kernel/civil-date.ts';
import { createBankSimulation } from '../../src/bank-simulation/index.ts';
import type {
  BankEntry,
  BankSimulation,
  SimulatedAccount,
  SimulatedEntry,
  BankSimulationState,
} from '../../src/bank-simulation/simulation.ts';

/** 2026-11-22. */
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

/** The history, and so many days from the anchor on. */
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

/** The entries of the flow with this key in its persona's plan. */
export function entriesOf(life: Pick<Life, 'entries'>, flow: string): BankEntry[] {
  const own = new RegExp(`^${flow}-\\d+(-\\w+)?$`);
  return bankEntries(life).filter(({ key }) => own.test(key));
}

export function accountOf({ world }: Pick<Life, 'world'>, key: string): SimulatedAccount {
  const account = world.accounts.find((each) => each.key === key);
  if (!account) throw new Error('no such account');
  return account;
}

/** Contract §7.1: a depository account gains by credits, a debt grows by debits. */
export function effectOf(life: Pick<Life, 'world'>, { account, type, amount }: BankEntry): bigint {
  const grows = accountOf(life, account).account_type.startsWith('liability') ? 'debit' : 'credit';
  return type === grows ? amount : -amount;
}

/** What has posted before a moment, and what was there to begin with. */
export function postedBefore(life: Life, account: string, moment: number): bigint {
  return bankEntries(life)
    .filter((entry) => entry.account === account && (entry.posts_at ?? entry.at) < moment)
    .reduce((balance, entry) => balance + effectOf(life, entry), accountOf(life, account).opening);
}

/** After each of its transactions, as they happen, pending ones included. */
export function runningBalances(life: Life, account: string): bigint[] {
  let balance = accountOf(life, account).opening;
  const own = bankEntries(life).filter((entry) => entry.account === account);
  return own.map((entry) => (balance += effectOf(life, entry)));
}

export const endOf = (day: Day): number => startOfDay(day + 1);

/** Any seed, and any day of a bit more than four years: all weekdays, all lengths of months. */
export const anySource = fc.record({
  seed: fc.string({ minLength: 1, maxLength: 12 }),
  anchor: fc.integer({ min: 20_000, max: 21_500 }),
});

export const PERSONA_NAMES = BANK_PERSONAS.map(({ name }) => name);
/** `large` takes its time: it has tests of its own. */
export const SMALL_PERSONAS = PERSONA_NAMES.filter((name) => name !== 'large');

/** The day of a text that is known to be a date. */
export const dayNamed = (date: string): Day => dayOf(Date.parse(`${date}T00:00:00Z`));
