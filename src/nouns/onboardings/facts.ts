/** Words of playbooks, runs, hosted flows, decisions and risk signals (contract §4, §10, §14). */

import type { EntityKind } from '../entities/facts.ts';

/** Final statuses of an onboarding (contract §4.4). */
export const TERMINAL_STATUSES = ['pass', 'fail', 'none', 'error'] as const;
export const ONBOARDING_STATUSES = [...TERMINAL_STATUSES, 'pending', 'incomplete'] as const;
export type OnboardingStatus = (typeof ONBOARDING_STATUSES)[number];

export const PLAYBOOK_KINDS = ['kyc', 'kyb', 'document'] as const;
export type PlaybookKind = (typeof PLAYBOOK_KINDS)[number];
/** The kinds of playbook for runs without a flow. */
export const RUN_KINDS: Readonly<Record<EntityKind, readonly PlaybookKind[]>> = {
  user: ['kyc', 'document'],
  business: ['kyb'],
};
/** Identifiers of which one is enough. */
export const groupText = (group: readonly string[]): string =>
  group.length > 1 ? `one of ${group.join(', ')}` : group.join();

export const DECISION_KINDS = ['manual', 'playbook_run'] as const;
/** Decisions that a person may make. */
export const MANUAL_DECISIONS = ['pass', 'fail'] as const;
export const DECISION_STATUSES = [...MANUAL_DECISIONS, 'none'] as const;
/** The longest annotation and the longest address of an actor, in characters. */
export const DECISION_LIMITS = { annotation: 2_000, actor: 320 } as const;

/** Results of the comparison of names with watchlists. */
export const WATCHLIST_RESULTS = ['pass', 'fail'] as const;

export const SEVERITIES = ['info', 'low', 'medium', 'high'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Flows of a known user that begin no onboarding. */
export const USER_FLOWS = ['inherit', 'document', 'user', 'update_auth_methods'] as const;
/** What a user token starts. */
export const USER_TOKEN_KINDS = ['onboard', 'reonboard', ...USER_FLOWS] as const;
/** How a person may be identified in a hosted flow, by the names of `limit_auth_methods`. */
export const LOGIN_METHODS = ['phone', 'email', 'passkey'] as const;
export type LoginMethod = (typeof LOGIN_METHODS)[number];
/** The lifetime of a user token. */
export const USER_TOKEN_MINUTES = { least: 1, most: 10_080, default: 60 } as const;
export const SESSION_STATES = ['open', 'completed', 'canceled', 'expired'] as const;
export type SessionState = (typeof SESSION_STATES)[number];
/** The steps of a hosted flow (contract §14). */
export const SESSION_STEPS = ['identify', 'data', 'owners', 'document', 'bank', 'review', 'outcome'] as const;
export type SessionStep = (typeof SESSION_STEPS)[number];
/** How well a run found something to match, the best first. */
export const MATCH_LEVELS = ['match', 'partial_match', 'could_not_match', 'no_match'] as const;
