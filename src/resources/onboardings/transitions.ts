/** What an outcome makes of an onboarding, and an onboarding of its entity (contract §4.4, A55). Pure. */
import type { EntityKind } from '../../contract/facts/entities.ts';
import type { EntityStatus } from '../../contract/facts/entities.ts';
import type { OnboardingStatus, Outcome } from '../../contract/facts/onboardings.ts';
import type { DecisionStatus } from '../../contract/decisions.ts';

/** Where an onboarding stands after a change, and what it waits for. */
export interface Change {
  readonly status: OnboardingStatus;
  readonly requiresManualReview: boolean;
  /** Recorded when the run of a playbook that decides ends with it; an owner's run decides nothing (contract §2.18). */
  readonly decision: DecisionStatus | null;
  /** The outcome whose risk signals are stored (contract §4.5); null while the onboarding goes on. */
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

/** A hosted flow has begun, and nothing is chosen yet. */
export const OPENED: Change = { ...WAITING, status: 'incomplete' };

/** The document that a step-up asked for is there. */
export const DOCUMENT_ARRIVED: Change = { ...CHANGES.manual_review, signalsOf: 'step_up' };

/** A person has decided while the run was pending: it ends so, and records no decision beside theirs. */
export function settledAs(status: 'pass' | 'fail'): Change {
  return { ...CHANGES[status], decision: null };
}

/** The outcome now. A business has no documents to step up with: its step-up is a manual review at once. */
export function comesTo(outcome: Outcome, kind: EntityKind): Change {
  return CHANGES[outcome === 'step_up' && kind === 'business' ? 'manual_review' : outcome];
}

/** Pending, and at `dueAt` (epoch ms) the outcome. What is pending until then passes. */
export function comesLater(outcome: Outcome, dueAt: number): Change {
  return { ...CHANGES.pending, next: outcome === 'pending' ? 'pass' : outcome, dueAt };
}

/** Nothing more happens to it, but that a manual decision takes its review away. */
export function isTerminal(status: OnboardingStatus): boolean {
  return status !== 'pending' && status !== 'incomplete';
}

export function entityStatusOf(status: OnboardingStatus): EntityStatus {
  return status === 'error' ? 'incomplete' : status;
}
