/** The worlds that links are made of. Loaded when the first one is asked for: a start need not pay for them. */
import { dayOf } from '../../kernel/civil-date.ts';
import type { PersonaSummary } from './world/index.ts';
import type { World, WorldEntry, WorldSource, WorldState } from './world/world.ts';

export interface Worlds {
  readonly personas: readonly PersonaSummary[];
  /** Throws when there is no such persona. */
  create(persona: string, source: WorldSource): World;
}

/** To make a world takes longer than to live one of its days: so many are kept for the next midnight. */
const MOST_KEPT = 256;

let loading: Promise<Worlds> | undefined;

export function loadWorlds(): Promise<Worlds> {
  loading ??= import('./world/index.ts').then(({ createWorld, PERSONAS }) => ({
    personas: PERSONAS,
    create: keeping(createWorld),
  }));
  return loading;
}

/** A world is a pure function of its source and changes nothing: the same one may serve whoever asks for it. */
function keeping(create: Worlds['create']): Worlds['create'] {
  const kept = new Map<string, World>();
  return (persona, source) => {
    const name = `${persona}\0${source.anchor}\0${source.seed}`;
    const world = kept.get(name) ?? create(persona, source);
    if (!kept.has(name) && kept.size === MOST_KEPT) kept.clear();
    kept.set(name, world);
    return world;
  };
}

/** A complete day and where the world stands after it. */
export interface WorldDay {
  readonly state: WorldState;
  readonly entries: readonly WorldEntry[];
}

/** The days after `state` that are complete at `now` (epoch milliseconds). */
export function* completeDays(world: World, state: WorldState, now: number): Generator<WorldDay, undefined> {
  for (let current = state; current.through < dayOf(now) - 1;) {
    const day = world.next(current);
    yield day;
    current = day.state;
  }
}

/** What the day after `state` has brought by `until`, a moment of that day; nothing when it is one of another day. */
export function todaySoFar(world: World, state: WorldState, until: number): WorldEntry[] {
  return state.through === dayOf(until) - 1 ? world.next(state).entries.filter(({ at }) => at <= until) : [];
}
