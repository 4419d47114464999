/** Outcome rules: what runs come to, as a test decides it (contract §4.3, §11). */
import { unbuilt } from '../unbuilt.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import type { Outcome, PlaybookKind } from '../../contract/shapes.ts';
import type { Randomness } from '../../kernel/random.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import type { PrivateValues } from '../../vault/private-values.ts';
import type { Space } from '../api-keys/index.ts';

type RuleView = AnswerOf<'GET /_kyclone/outcomes/{id}'>;
type SpaceChoice = RequestOf<'POST /_kyclone/outcomes'>['query'];

/** Codes that a rule adds to a run's signals, and takes from them. */
export interface SignalChanges {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** What a run is, for rules to match. */
export interface RunFacts {
  readonly fp_id: string;
  readonly external_id: string | null;
  readonly sandbox_id: string | null;
  readonly playbook_key: string;
  readonly kind: PlaybookKind;
  /** The stored text of an identifier; undefined when absent, or no text. */
  readonly valueOf: (identifier: string) => string | undefined;
}

export interface ChosenOutcome {
  readonly outcome: Outcome;
  readonly delayMs: number | undefined;
  readonly signals: SignalChanges;
}

export interface Outcomes {
  /** In the write job of a run: the first enabled rule that matches and isn't spent, which is then counted down. */
  choose(database: Database, space: Space, run: RunFacts): ChosenOutcome | undefined;
  list(query: RequestOf<'GET /_kyclone/outcomes'>['query']): AnswerOf<'GET /_kyclone/outcomes'>;
  create(space: SpaceChoice, body: RequestOf<'POST /_kyclone/outcomes'>['body']): Promise<RuleView>;
  get(id: string, space: SpaceChoice): RuleView;
  change(
    id: string,
    space: SpaceChoice,
    body: RequestOf<'PATCH /_kyclone/outcomes/{id}'>['body'],
  ): Promise<RuleView>;
  remove(id: string, space: SpaceChoice): Promise<void>;
  /** In the write job of a reset; answers how many there were. */
  reset(database: Database): number;
}

export interface OutcomesContext {
  readonly queue: WriteQueue;
  readonly random: Randomness;
  readonly privateValues: PrivateValues;
}

export function createOutcomes(_context: OutcomesContext): Outcomes {
  return unbuilt<Outcomes>({ choose: () => undefined, reset: () => 0 });
}
