/** What falls due by the clock, in all resources, in one order (contract §11, PUT clock). */
import type { MovableClock } from '../../kernel/clock.ts';

/** A kind of work that falls due: delayed outcomes, attempts of deliveries. */
export interface DueSource {
  readonly name: string;
  /** Epoch milliseconds of the earliest piece that nobody is working on; undefined when there is none. */
  nextAt(): number | undefined;
  /** How many pieces wait for their time or are being worked on. */
  pending(): number;
  /**
   * Works off what is due by the clock's `now`; returns how many pieces were done. Settles when they are. May be called
   * again before it has settled, for pieces that nobody is working on yet.
   */
  run(): Promise<number>;
  /** Settles when nothing of it is being worked on. */
  idle(): Promise<void>;
  /** The source as a move of the clock sees it, where that may not wait for everything. */
  duringMove?(): MoveSource;
}

/** A source that settles early for work that hangs: that goes on beside the move. */
export interface MoveSource extends DueSource {
  /** At the end of the move: waits for what hangs, within its limit. Returns how many more pieces were done. */
  finish(): Promise<number>;
}

/** So often in a row may a source do nothing though something is due, before it is left alone. */
const IDLE_RUNS = 3;
/** So often may work be done at one and the same time: a source that always has more would never let time pass. */
const RUNS_AT_ONE_TIME = 10_000;

interface Move {
  readonly clock: MovableClock;
  readonly sources: readonly DueSource[];
  /** Epoch milliseconds. */
  readonly from: number;
  readonly isGivenUp: () => boolean;
}

/**
 * Runs what is due by `until` (epoch ms), in due order and each at its own time, though never before `from`. Stops the
 * clock at each of these times and leaves it at the last. Returns how many pieces were done that fell due after `from`:
 * what was due before is done as well, but how much of it the background has left depends on the machine. Ends early
 * when `isGivenUp` says so. Throws what a source throws.
 */
export async function runUntil(until: number, context: Move): Promise<number> {
  const { clock, isGivenUp } = context;
  const moves = context.sources.map((source) => source.duringMove?.() ?? withoutEnd(source));
  const drained = await runInOrder(until, { clock, sources: moves, from: context.from, isGivenUp });
  if (isGivenUp()) return drained;
  const finished = await Promise.all(moves.map((source) => source.finish()));
  return drained + finished.reduce((sum, done) => sum + done, 0);
}

function withoutEnd(source: DueSource): MoveSource {
  return {
    name: source.name,
    nextAt: () => source.nextAt(),
    pending: () => source.pending(),
    run: () => source.run(),
    idle: () => source.idle(),
    finish: () => Promise.resolve(0),
  };
}

async function runInOrder(until: number, context: Move): Promise<number> {
  const { clock, sources, isGivenUp } = context;
  const idleRuns = new Map<DueSource, number>();
  const leftAlone = new Set<DueSource>();
  let [at, runsThen, drained] = [context.from, 0, 0];
  clock.set({ mode: 'frozen', at });
  for (;;) {
    await Promise.all(sources.map((source) => source.idle()));
    const next = earliest(sources.filter((source) => !leftAlone.has(source)));
    if (isGivenUp() || !next || next.at > until) return drained;
    runsThen = next.at > at ? 1 : runsThen + 1;
    at = Math.max(at, next.at);
    clock.set({ mode: 'frozen', at });
    const done = await next.source.run();
    if (next.at > context.from) drained += done;
    const idle = done > 0 ? 0 : (idleRuns.get(next.source) ?? 0) + 1;
    idleRuns.set(next.source, idle);
    if (idle === IDLE_RUNS || runsThen >= RUNS_AT_ONE_TIME) leftAlone.add(next.source);
  }
}

/** The source with the earliest time; the first one of several with the same time. */
export function earliest(sources: readonly DueSource[]): { source: DueSource; at: number } | undefined {
  let found: { source: DueSource; at: number } | undefined;
  for (const source of sources) {
    const at = source.nextAt();
    if (at !== undefined && (!found || at < found.at)) found = { source, at };
  }
  return found;
}

/**
 * Work that falls due reaches the clock that runs it by this signal: its makers and the clock don't know each other.
 */
export interface WakeSignal {
  /** Something new may be due, or due sooner. */
  readonly wake: () => void;
  /** From now on `listener` is called, too. */
  onWake(listener: () => void): void;
}

export function createWakeSignal(): WakeSignal {
  const listeners: (() => void)[] = [];
  return {
    wake() {
      for (const listener of listeners) listener();
    },
    onWake: (listener) => void listeners.push(listener),
  };
}
