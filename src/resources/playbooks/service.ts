/** Playbooks (contract §4.1, §11). */
import { unbuilt } from '../unbuilt.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import type { Outcome, PlaybookKind } from '../../contract/shapes.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Randomness } from '../../kernel/random.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import type { Space } from '../api-keys/index.ts';

type PlaybookView = AnswerOf<'GET /_kyclone/playbooks/{key}'>;
type SpaceChoice = RequestOf<'POST /_kyclone/playbooks'>['query'];

/** A playbook as a run goes by it. */
export interface PlaybookRow {
  readonly space: number;
  readonly key: string;
  readonly name: string;
  readonly kind: PlaybookKind;
  readonly version: number;
  /** Groups of identifiers; any one of a group satisfies it. */
  readonly requirements: readonly (readonly string[])[];
  readonly has_rules: boolean;
  readonly default_outcome: Outcome;
  readonly delay_ms: number;
  readonly session_delay_ms: number;
  readonly collects_owners: boolean;
  /** Epoch milliseconds. */
  readonly created_at: number;
}

export interface Playbooks {
  /** The playbook of this key in this space, of one of these kinds; else throws `playbook_unknown`. */
  require(database: Database, space: Space, key: string, kinds: readonly PlaybookKind[]): PlaybookRow;
  /** In the write job that makes a space: the two that each begins with. Nothing where there are some. */
  install(database: Database, space: Space): void;
  list(query: RequestOf<'GET /_kyclone/playbooks'>['query']): AnswerOf<'GET /_kyclone/playbooks'>;
  create(space: SpaceChoice, body: RequestOf<'POST /_kyclone/playbooks'>['body']): Promise<PlaybookView>;
  get(key: string, space: SpaceChoice): PlaybookView;
  change(
    key: string,
    space: SpaceChoice,
    body: RequestOf<'PATCH /_kyclone/playbooks/{key}'>['body'],
  ): Promise<PlaybookView>;
  /** Throws `conflict` while an onboarding on it is open. */
  remove(key: string, space: SpaceChoice): Promise<void>;
}

export interface PlaybooksContext {
  readonly queue: WriteQueue;
  readonly clock: Clock;
  readonly random: Randomness;
}

export function createPlaybooks(_context: PlaybooksContext): Playbooks {
  return unbuilt<Playbooks>({ install: () => undefined });
}
