/** The simulations behind links. Loaded at the first use, so that a start does not pay for them. */
import { dayOf } from '../../../kernel/time/civil-date.ts';
import type { PersonaSummary } from '../../../bank-simulation/index.ts';
import type {
  BankSimulation,
  SimulatedEntry,
  BankSimulationSource,
  BankSimulationState,
} from '../../../bank-simulation/simulation.ts';

export interface BankSimulations {
  readonly personas: readonly PersonaSummary[];
  /** Throws for an unknown persona. */
  create(persona: string, source: BankSimulationSource): BankSimulation;
}

/** Creating a simulation takes longer than simulating one day, so this many are cached for the next midnight. */
const MOST_KEPT = 256;

let loading: Promise<BankSimulations> | undefined;

export function loadBankSimulations(): Promise<BankSimulations> {
  loading ??= import('../../../bank-simulation/index.ts').then(
    ({ createBankSimulation: createWorld, PERSONAS }) => ({
      personas: PERSONAS,
      create: keeping(createWorld),
    }),
  );
  return loading;
}

/** A simulation is a pure function of its source and changes nothing, so callers can share it. */
function keeping(create: BankSimulations['create']): BankSimulations['create'] {
  const kept = new Map<string, BankSimulation>();
  return (persona, source) => {
    const name = `${persona}\0${source.anchor}\0${source.seed}`;
    const world = kept.get(name) ?? create(persona, source);
    if (!kept.has(name) && kept.size === MOST_KEPT) kept.clear();
    kept.set(name, world);
    return world;
  };
}

export function withAccounts(world: BankSimulation, keys: ReadonlySet<string>): BankSimulation {
  if (world.accounts.every(({ key }) => keys.has(key))) return world;
  return {
    accounts: world.accounts.filter(({ key }) => keys.has(key)),
    begin: () => world.begin(),
    next(state) {
      const day = world.next(state);
      return { ...day, entries: day.entries.filter(({ account }) => keys.has(account)) };
    },
    portfolio(state, today) {
      const all = world.portfolio(state, today);
      const holdings = all.holdings.filter(({ account }) => keys.has(account));
      const held = new Set(holdings.map(({ security }) => security));
      return { holdings, securities: all.securities.filter(({ key }) => held.has(key)) };
    },
  };
}

/** The days after `state` that are complete at `now` (epoch milliseconds). */
export function* completeDays(
  world: BankSimulation,
  state: BankSimulationState,
  now: number,
): Generator<ReturnType<BankSimulation['next']>, undefined> {
  for (let current = state; current.through < dayOf(now) - 1;) {
    const day = world.next(current);
    yield day;
    current = day.state;
  }
}

/** The entries of the day after `state` up to `until`, a moment of that day; empty if `until` is on another day. */
export function todaySoFar(
  world: BankSimulation,
  state: BankSimulationState,
  until: number,
): SimulatedEntry[] {
  return state.through === dayOf(until) - 1 ? world.next(state).entries.filter(({ at }) => at <= until) : [];
}
