/** The effect of an outcome on an onboarding, and of an onboarding on its entity (contract §4.4, A55). Pure. */
import type { EntityKind } from '../../entities/facts.ts';
import type { OnboardingStatus } from '../facts.ts';
import type { Outcome } from '../../outcomes/facts.ts';
import type { DecisionStatus } from '../../decisions/endpoints.ts';

/** The state of an onboarding after a change, and what it waits for. */
export interface Change {
  readonly status: OnboardingStatus;
  readonly requiresManualReview: boolean;
  /** Recorded when a deciding playbook's run ends; an owner's run makes no decision (contract §2.18). */
  readonly decision: DecisionStatus | null;
  /** The outcome whose risk signals are stored (contract §4.5); null while the onboarding continues. */
  readonly signalsOf: Outcome | null;
  /** The outcome at `dueAt`; `step_up` without a time waits for a document. */
  readonly next: Outcome | null;
  /** Epoch milliseconds. */
  readonly dueAt: number | null;
}

const WAITING = {
  requiresManualReview: false,
  decision: null,
  signalsOf: null,
  next: null,
  dueAt: null,
} as const;
const ENDED = { requiresManualReview: false, decision: null, next: null, dueAt: null } as const;

const CHANGES: Readonly<Record<Outcome, Change>> = {
  pass: { ...ENDED, status: 'pass', decision: 'pass', signalsOf: 'pass' },
  fail: { ...ENDED, status: 'fail', decision: 'fail', signalsOf: 'fail' },
  manual_review: {
    ...ENDED,
    status: 'fail',
    requiresManualReview: true,
    decision: 'fail',
    signalsOf: 'manual_review',
  },
  none: { ...ENDED, status: 'none', decision: 'none', signalsOf: 'none' },
  error: { ...ENDED, status: 'error', signalsOf: 'error' },
  step_up: { ...WAITING, status: 'incomplete', next: 'step_up' },
  pending: { ...WAITING, status: 'pending' },
};

/** A hosted flow has started, without an outcome so far. */
export const OPENED: Change = { ...WAITING, status: 'incomplete' };

/** The document for a step-up has arrived. */
export const DOCUMENT_ARRIVED: Change = { ...CHANGES.manual_review, signalsOf: 'step_up' };

/** A person decided before the run: it ends with that status, without a decision or findings of its own. */
export function settledAs(status: 'pass' | 'fail'): Change {
  return { ...ENDED, status, signalsOf: 'none' };
}

/** Applies the outcome now. A business can't step up with documents, so its step-up is a manual review at once. */
export function comesTo(outcome: Outcome, kind: EntityKind): Change {
  return CHANGES[outcome === 'step_up' && kind === 'business' ? 'manual_review' : outcome];
}

/** Pending, with the outcome at `dueAt` (epoch ms). An outcome of pending becomes a pass then. */
export function comesLater(outcome: Outcome, dueAt: number): Change {
  return { ...CHANGES.pending, next: outcome === 'pending' ? 'pass' : outcome, dueAt };
}

/** No further changes, except that a manual decision clears its review. */
export function isTerminal(status: OnboardingStatus): boolean {
  return status !== 'pending' && status !== 'incomplete';
}
