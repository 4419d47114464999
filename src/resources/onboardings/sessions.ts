/** Hosted onboardings: a session is begun, played to its end, and validated (contract §10, §11). */
import { unbuilt } from '../unbuilt.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import type { Database } from '../../storage/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Randomness } from '../../kernel/random.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import type { PrivateValues } from '../../vault/private-values.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Caller } from '../api-keys/index.ts';
import type { Entities } from '../entities/index.ts';
import type { Playbooks } from '../playbooks/index.ts';
import type { Engine } from './engine.ts';

export interface Sessions {
  begin(
    caller: Caller,
    body: RequestOf<'POST /onboarding/session'>['body'],
  ): Promise<AnswerOf<'POST /onboarding/session'>>;
  complete(
    body: RequestOf<'POST /_kyclone/sessions/complete'>['body'],
  ): Promise<AnswerOf<'POST /_kyclone/sessions/complete'>>;
  validate(caller: Caller, validationToken: string): AnswerOf<'POST /onboarding/session/validate'>;
  /** In the write job that moves the clock back: what is expired by `now` stays so. */
  expire(database: Database, now: number): void;
  /** In the write job of a reset; answers how many there were. */
  reset(database: Database): number;
}

export interface SessionsContext {
  readonly queue: WriteQueue;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly vault: Vault;
  readonly entities: Entities;
  readonly playbooks: Playbooks;
  readonly engine: Engine;
  readonly privateValues: PrivateValues;
  /** Where the instance listens, for the link. */
  readonly baseUrl: () => string;
}

export function createSessions(_context: SessionsContext): Sessions {
  return unbuilt<Sessions>({ expire: () => undefined, reset: () => 0 });
}
