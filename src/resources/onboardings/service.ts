/** Runs of entities through playbooks, and what they come to (contract §4). */
import { unbuilt } from '../unbuilt.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Randomness } from '../../kernel/random.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import type { Vault, VaultListener } from '../../vault/vault.ts';
import type { Caller, Space } from '../api-keys/index.ts';
import type { DueSource } from '../clock/index.ts';
import type { Decisions } from '../decisions/index.ts';
import type { EntityRow } from '../entities/index.ts';
import type { Outcomes } from '../outcomes/index.ts';
import type { Playbooks } from '../playbooks/index.ts';
import type { RiskSignals } from '../risk-signals/index.ts';
import type { Stream } from '../stream/index.ts';
import type { Events } from '../webhooks/index.ts';
import type { Engine } from './engine.ts';

export type RunResult = AnswerOf<'POST /users/{fp_id}/kyc'>;
export type OnboardingView = AnswerOf<'GET /onboardings/{id}'>;
export type OnboardingItem = AnswerOf<'GET /users/{fp_id}/onboardings'>['data'][number];
type RunRequest = RequestOf<'POST /users/{fp_id}/kyc'>['body'];

export interface Onboardings {
  readonly engine: Engine;
  /** Delayed outcomes. */
  readonly due: DueSource;
  /** A headless run (contract §4.2); `version` is of the entity's vault. */
  run(
    caller: Caller,
    entity: EntityRow,
    request: RunRequest,
  ): Promise<{ result: RunResult; version: number }>;
  /** Incomplete ones left out (contract §10). */
  list(
    entity: EntityRow,
    query: RequestOf<'GET /users/{fp_id}/onboardings'>['query'],
  ): AnswerOf<'GET /users/{fp_id}/onboardings'>;
  /** All of them, incomplete ones too, newest first. */
  all(database: Database, entity: EntityRow): OnboardingItem[];
  /** Throws `not_found`. */
  get(space: Space, id: string): OnboardingView;
  /** A manual decision (contract §4.4). Throws `invalid_request` for an entity without onboarding. */
  review(entity: EntityRow, body: RequestOf<'POST /users/{fp_id}/decisions'>['body']): Promise<void>;
  /** Ends a pending or incomplete one now, of any tenant. Throws `conflict` when it is terminal. */
  resolve(
    id: string,
    outcome: RequestOf<'POST /_kyclone/onboardings/{id}/resolve'>['body']['outcome'],
  ): Promise<OnboardingView>;
  /** Told of vault changes within their write jobs: a step-up ends with its image, and vault.updated is told. */
  readonly vaultChanged: VaultListener['changed'];
  /** The open (incomplete) onboarding of the entity with this row id, for its documents (contract §5). */
  openOnboarding(database: Database, entity: number): string | null;
  /** In the write job of a reset; answers how many there were. */
  reset(database: Database): number;
}

export interface OnboardingsContext {
  readonly queue: WriteQueue;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly vault: Vault;
  readonly playbooks: Playbooks;
  readonly outcomes: Outcomes;
  readonly decisions: Decisions;
  readonly signals: RiskSignals;
  readonly events: Events;
  readonly stream: Stream;
  /** Called when an outcome falls due that wasn't there before. */
  readonly wake: () => void;
}

export function createOnboardings(_context: OnboardingsContext): Onboardings {
  return unbuilt<Onboardings>({
    engine: unbuilt<Engine>(),
    due: {
      name: 'none',
      nextAt: () => undefined,
      pending: () => 0,
      run: () => Promise.resolve(0),
      idle: () => Promise.resolve(),
    },
    all: () => [],
    vaultChanged: () => undefined,
    openOnboarding: () => null,
    reset: () => 0,
  });
}
