/** Fault rules: kept with the instance, asked before every request outside the control plane (contract §0.4, §11). */
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Randomness } from '../../kernel/random.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import type { Stream } from '../stream/index.ts';

export type FaultRule = AnswerOf<'GET /_kyclone/faults/{id}'>;

export interface Faults {
  list(query: RequestOf<'GET /_kyclone/faults'>['query']): AnswerOf<'GET /_kyclone/faults'>;
  create(body: RequestOf<'POST /_kyclone/faults'>['body']): Promise<FaultRule>;
  get(id: string): FaultRule;
  remove(id: string): Promise<void>;
  clear(): Promise<void>;
  /** The rule that this request runs into, counted as a hit of it; undefined for none. Costs nothing without rules. */
  match(method: string, path: string, requestId: string): FaultRule | undefined;
  /** Of enabled rules. */
  readonly size: number;
  /** In the write job of a reset; answers how many were there. */
  reset(database: Database): number;
  /** Writes what was counted since; before a snapshot and at the end. */
  flush(): Promise<void>;
}

export interface FaultsContext {
  readonly queue: WriteQueue;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly stream: Stream;
}

export function createFaults(_context: FaultsContext): Faults {
  const missing = () => new ServiceError('not_found', 'There is no such fault rule');
  return {
    list: () => ({ data: [], meta: { next: null, count: 0 } }) as never,
    create: () => Promise.reject(missing()),
    get() {
      throw missing();
    },
    remove: () => Promise.reject(missing()),
    clear: () => Promise.resolve(),
    match: () => undefined,
    size: 0,
    reset: () => 0,
    flush: () => Promise.resolve(),
  };
}
