/** Chooses the outcome of a run, and its time (contract §4.3, A54). */
import { outcomeOfSandboxId, type Outcome } from '../../outcomes/facts.ts';
import type { Space } from '../../api-keys/service/index.ts';
import type { ChosenOutcome } from '../../outcomes/service/index.ts';
import { invalid } from '../../../kernel/errors.ts';

const NO_CHANGES = { add: [], remove: [] } as const;

/** The first that applies: the call's, a rule's, the sandbox id's, the playbook's. */
export function chooseOutcome(run: {
  readonly fixture: Outcome | undefined;
  /** Called only when the call chooses no outcome, since it uses up a rule's count. */
  readonly ruled: () => ChosenOutcome | undefined;
  /** Null for a live entity. */
  readonly sandboxId: string | null;
  readonly playbook: { readonly has_rules: boolean; readonly default_outcome: Outcome };
}): ChosenOutcome {
  if (run.fixture !== undefined) return plain(run.fixture);
  const ruled = run.ruled();
  if (ruled) return ruled;
  const { has_rules, default_outcome } = run.playbook;
  const bySandboxId = run.sandboxId === null ? undefined : outcomeOfSandboxId(run.sandboxId);
  return plain(bySandboxId ?? (has_rules ? default_outcome : 'none'));
}

/** Throws `invalid_request` when a call with a live key chooses an outcome. */
export function refuseLiveFixture(space: Space, fixture: Outcome | undefined): void {
  if (fixture === undefined || space.environment === 'sandbox') return;
  throw invalid('fixture_result is for the sandbox only, and this is the live environment');
}

function plain(outcome: Outcome): ChosenOutcome {
  return { outcome, delayMs: undefined, signals: NO_CHANGES };
}
