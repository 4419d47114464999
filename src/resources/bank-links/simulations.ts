/** The worlds that links are made of. Loaded when the first one is asked for: a start need not pay for them. */
import { dayOf } from '../../kernel/civil-date.ts';
import type { PersonaSummary } from '../../bank-simulation/index.ts';
import type {
  BankSimulation,
  SimulatedEntry,
  BankSimulationSource,
  BankSimulationState,
} from '../../bank-simulation/simulation.ts';

export interface BankSimulations {
  readonly personas: readonly PersonaSummary[];
  /** Throws when there is no such persona. */
  create(persona: string, source: BankSimulationSource): BankSimulation;
}

/** To make a world takes longer than to live one of its days: so many are kept for the next midnight. */
const MOST_KEPT = 256;

let loading: Promise<BankSimulations> | undefined;

export function loadBankSimulations(): Promise<BankSimulations> {
  loading ??= import('../../bank-simulation/index.ts').then(
    ({ createBankSimulation: createWorld, PERSONAS }) => ({
      personas: PERSONAS,
      create: keeping(createWorld),
    }),
  );
  return loading;
}

/** A world is a pure function of its source and changes nothing: all callers may share the same one. */
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

/** The same world as somebody sees it who chose these of its accounts only. */
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

/** A complete day and where the world stands after it. */
export interface SimulatedDay {
  readonly state: BankSimulationState;
  readonly entries: readonly SimulatedEntry[];
}

/** The days after `state` that are complete at `now` (epoch milliseconds). */
export function* completeDays(
  world: BankSimulation,
  state: BankSimulationState,
  now: number,
): Generator<SimulatedDay, undefined> {
  for (let current = state; current.through < dayOf(now) - 1;) {
    const day = world.next(current);
    yield day;
    current = day.state;
  }
}

/** What the day after `state` has brought by `until`, a moment of that day; nothing when it is one of another day. */
export function todaySoFar(
  world: BankSimulation,
  state: BankSimulationState,
  until: number,
): SimulatedEntry[] {
  return state.through === dayOf(until) - 1 ? world.next(state).entries.filter(({ at }) => at <= until) : [];
}
