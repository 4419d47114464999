/**
 * Fault rules: stored with the instance, tried before every request outside the control plane (contract §0.4, §11).
 * They are in memory while the service runs, so that requests don't wait for the store. Counters are written with a
 * delay, and at the end.
 */
import { hash } from 'node:crypto';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/time/clock.ts';
import { orderedPage } from '../cursor.ts';
import { defined } from '../../kernel/defined.ts';
import { ServiceError, invalid } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids/ids.ts';
import { segmentGlob } from '../../kernel/text/text.ts';
import { realTime } from '../../kernel/time/real-time.ts';
import { SECOND_MS } from '../../kernel/numbers/units.ts';
import type { Database } from '../../storage/database.ts';
import { assigned, boolean, initially, integer, json, type RowOf, table, text } from '../../storage/table.ts';
import { answer, type Handlers, type KeysUnder, written, doneWriting } from '../handlers.ts';
import type { Stream } from '../stream/service.ts';
import type { Needs } from '../needs.ts';

// All SQL of fault rules.

/** A rule as given by its creator. */
type GivenRule = RequestOf<'POST /_kyclone/faults'>['body'];

const FAULTS = table(
  'fault_rules',
  {
    /** Orders rules by age, oldest first. */
    seq: assigned,
    id: text,
    rule: json<GivenRule>(),
    hits: initially(0, integer),
    /** The number of draws so far, and the number of the next draw. */
    draws: initially(0, integer),
    enabled: initially(true, boolean),
    created_at: integer,
  },
  { key: ['seq'] },
);

type FaultRow = Omit<RowOf<typeof FAULTS>, 'created_at'>;

/** All of them, oldest first. */
const listFaults = FAULTS.all('ORDER BY seq');
const isFaultId = FAULTS.has<[id: string]>('id = ?');
const deleteFault = FAULTS.delete<[id: string]>('id = ?');
const deleteAllFaults = FAULTS.delete();

// The draws for a rule's probability: the same for the same seed, on every machine.

const DRAW_BYTES = 6;

/** Draw `n` of `seed`, in [0, 1): a pure function of both. */
export function draw(seed: string, n: number): number {
  return hash('sha256', `kyclone fault\0${seed}\0${n}`, 'buffer').readUIntBE(0, DRAW_BYTES) / 2 ** 48;
}

export type FaultRule = AnswerOf<'GET /_kyclone/faults/{id}'>;

/** The properties of a request that rules match. */
export interface FaultedRequest {
  readonly id: string;
  readonly method: string;
  /** A preflight: the browser never shows the page why it was refused. */
  readonly isPreflight: boolean;
  /** The segments of the path, decoded. */
  readonly segments: readonly string[];
  /** The path as the journal shows it. */
  shownPath(): string;
}

export type Faults = ReturnType<typeof createFaults>;

interface FaultsContext extends Needs<'queue' | 'clock' | 'random'> {
  readonly stream: Pick<Stream, 'publish'>;
}

/** A rule in memory, whose counters may be ahead of its row. */
type Live = { -readonly [Name in keyof FaultRow]: FaultRow[Name] } & {
  readonly matches: (segments: readonly string[]) => boolean;
};

const WRITE_AFTER_MS = SECOND_MS;

export function createFaults({ queue, clock, random, stream }: FaultsContext) {
  /** Oldest first. */
  let rules: Live[] = [];
  let enabled: Live[] = [];
  const counted = new Set<Live>();
  let timer: NodeJS.Timeout | undefined;
  const delays = createDelays();

  function keep(kept: Live[]): void {
    rules = kept;
    enabled = kept.filter((live) => live.enabled);
    for (const live of counted) if (!kept.includes(live)) counted.delete(live);
  }

  function find(id: string): Live {
    const live = rules.find((each) => each.id === id);
    if (!live) throw new ServiceError('not_found', 'No fault rule has this id');
    return live;
  }

  function count(live: Live): void {
    counted.add(live);
    // If the write fails, the counters are written with the next.
    timer ??= realTime.setTimeout(() => void flush().catch(() => undefined), WRITE_AFTER_MS).unref();
  }

  async function flush(): Promise<void> {
    realTime.clearTimeout(timer);
    timer = undefined;
    if (counted.size === 0) return;
    const written = [...counted];
    counted.clear();
    try {
      await queue.write((database) => {
        for (const { seq, hits, draws, enabled } of written)
          FAULTS.set(database, { seq }, { hits, draws, enabled });
      });
    } catch (error) {
      for (const live of written) if (rules.includes(live)) counted.add(live);
      throw error;
    }
  }

  /** Whether the rule's probability selects this request; true without a probability. */
  function isDrawn(live: Live): boolean {
    const { probability, seed } = live.rule;
    if (probability === undefined) return true;
    count(live);
    return draw(seed ?? live.id, live.draws++) < probability;
  }

  function hit(live: Live, request: FaultedRequest): FaultRule {
    live.hits++;
    count(live);
    const { times } = live.rule;
    if (times !== undefined && live.hits >= times) {
      live.enabled = false;
      keep(rules);
    }
    const rule = view(live);
    const at = clock.now();
    stream.publish('fault', () => hitForStream(rule, request, at));
    return rule;
  }

  keep(listFaults(queue.database).map(alive));

  return {
    /** The number of enabled rules; at 0 no request is matched. */
    get size(): number {
      return enabled.length;
    },

    handlers: {
      'GET /_kyclone/faults': ({ query }) => {
        const page = orderedPage(query, {
          by: { seq: 'number' },
          list: ({ after: { seq } = { seq: 0 }, limit }) =>
            rules.filter((live) => live.seq > seq).slice(0, limit + 1),
          count: rules.length,
          view,
        });
        return answer(page);
      },

      'POST /_kyclone/faults': ({ body: rule }) => {
        requireEffect(rule);
        requireGlob(rule.match.path);
        return written(queue, (database) => {
          const id = newId('fault', random, (taken) => isFaultId(database, taken));
          const seq = FAULTS.insert(database, { id, rule, created_at: clock.now() });
          const live = alive({ seq, id, rule, hits: 0, draws: 0, enabled: true });
          queue.afterCommit(() => keep([...rules, live]));
          return view(live);
        });
      },

      'GET /_kyclone/faults/{id}': ({ params }) => answer(view(find(params.id))),

      'DELETE /_kyclone/faults/{id}': ({ params: { id } }) => {
        find(id);
        return doneWriting(queue, (database) => {
          deleteFault(database, id);
          queue.afterCommit(() => keep(rules.filter((live) => live.id !== id)));
        });
      },

      'DELETE /_kyclone/faults': () =>
        doneWriting(queue, (database) => {
          deleteAllFaults(database);
          queue.afterCommit(() => keep([]));
        }),
    } satisfies Handlers<KeysUnder<'/_kyclone/faults'>>,

    /** The rule that matches this request, counted as a hit and published on the stream; undefined for none. */
    match(request: FaultedRequest): FaultRule | undefined {
      for (const live of enabled) {
        const { method } = live.rule.match;
        if (!isMethod(method, request) || !live.matches(request.segments)) continue;
        if (isDrawn(live)) return hit(live, request);
      }
      return undefined;
    },

    /** The latency of a rule; interrupted when the service stops. */
    delay: (ms: number): Delay => delays.begin(ms),

    /** Call it in the write job of a reset; returns the number of deleted rules. */
    reset(database: Database): number {
      queue.afterCommit(() => keep([]));
      return deleteAllFaults(database);
    },

    /** Writes the counters; before a snapshot and at the end. */
    flush,

    /** Interrupts delays, including later ones: their requests fail as `not_ready`. */
    stop: (): void => delays.stop(),
    /** Limits all delays to this time: their requests continue as the rule says, only earlier. */
    hasten: (mostMs: number): void => delays.hasten(mostMs),
  };
}

function alive(row: FaultRow): Live {
  return { ...row, matches: segmentGlob(row.rule.match.path) };
}

/** HEAD matches rules for GET, since it is handled like GET. A preflight only matches rules that name its method. */
function isMethod(wanted: string | undefined, { method, isPreflight }: FaultedRequest): boolean {
  if (isPreflight) return wanted === method;
  return wanted === undefined || wanted === method || (wanted === 'GET' && method === 'HEAD');
}

function requireEffect({ status, latency_ms, abort }: GivenRule): void {
  if (status !== undefined || latency_ms !== undefined || abort !== undefined) return;
  throw invalid('At least one of status, latency_ms and abort is required');
}

/** `fp_*` and `{fp_id}` would be literal words and match no real request. */
function requireGlob(path: string): void {
  const parameter = /\{[^{}/]*\}/.exec(path)?.[0];
  if (parameter !== undefined) {
    throw invalid(`match.path has ${parameter}: put a star in its place, as in /users/*`);
  }
  if (path.split('/').every((part) => !part.includes('*') || part === '*' || part === '**')) return;
  throw invalid(
    'match.path has a star beside other characters: a star must be a whole segment, as in /users/*',
  );
}

function view({ id, rule, hits, enabled }: Live): FaultRule {
  return { id, ...rule, match: { ...rule.match }, hits, enabled };
}

/** The stream's view of a hit. */
function hitForStream(
  { id, status, latency_ms, abort, hits, enabled }: FaultRule,
  request: FaultedRequest,
  at: number,
) {
  return {
    id,
    request_id: request.id,
    at: timestamp(at),
    method: request.method,
    path: request.shownPath(),
    ...defined({ status, latency_ms, abort }),
    hits,
    enabled,
  };
}

// Interruptible delays on the machine's clock, independent of the instance's.

interface Delay {
  /** Whether the full time passed; settles at once when the delay is interrupted. */
  readonly passed: Promise<boolean>;
  cancel(): void;
}

export function createDelays() {
  const waiting = new Set<() => void>();
  let isStopped = false;
  let longestMs = Infinity;
  const hastened = new Set<() => void>();
  return {
    /** The number of active delays. */
    get size(): number {
      return waiting.size;
    },
    begin(ms: number): Delay {
      let cancel: () => void = () => undefined;
      const passed = new Promise<boolean>((resolve) => {
        const end = (hasPassed: boolean) => {
          realTime.clearTimeout(timer);
          realTime.clearTimeout(latest);
          waiting.delete(cancel);
          hastened.delete(hasten);
          resolve(hasPassed);
        };
        const pass = () => end(true);
        const timer = realTime.setTimeout(pass, Math.min(ms, longestMs));
        let latest: NodeJS.Timeout | undefined;
        const hasten = () => (latest ??= realTime.setTimeout(pass, longestMs));
        hastened.add(hasten);
        cancel = () => end(false);
        waiting.add(cancel);
      });
      if (isStopped) cancel();
      return { passed, cancel };
    },
    /** Limits all delays to this time; they count as passed. */
    hasten(mostMs: number): void {
      longestMs = mostMs;
      for (const each of hastened) each();
    },
    /** Interrupts all delays, including later ones. */
    stop(): void {
      isStopped = true;
      for (const cancel of [...waiting]) cancel();
    },
  };
}
