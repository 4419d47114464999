/** The worlds that links are made of. Loaded when the first one is asked for: a start need not pay for them. */
import { dayOf } from '../../kernel/civil-date.ts';
import type { PersonaSummary } from './world/index.ts';
import type { World, WorldEntry, WorldSource, WorldState } from './world/world.ts';

export interface Worlds {
  readonly personas: readonly PersonaSummary[];
  /** Throws when there is no such persona. */
  create(persona: string, source: WorldSource): World;
}

let loading: Promise<Worlds> | undefined;

export function loadWorlds(): Promise<Worlds> {
  loading ??= import('./world/index.ts').then(({ createWorld, PERSONAS }) => ({
    personas: PERSONAS,
    create: createWorld,
  }));
  return loading;
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

/** What the day of `now` has brought so far, when everything before it is complete. */
export function todaySoFar(world: World, state: WorldState, now: number): WorldEntry[] {
  return state.through === dayOf(now) - 1 ? world.next(state).entries.filter(({ at }) => at <= now) : [];
}
