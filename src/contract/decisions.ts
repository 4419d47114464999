/** What was decided about an entity, by a playbook or by hand (contract §2.18, §4.4, §10). */
import { Type } from '@sinclair/typebox';
import { DECISION_KINDS, DECISION_LIMITS, DECISION_STATUSES, MANUAL_DECISIONS } from './facts/onboardings.ts';
import { endpoint, secretKey } from './endpoint.ts';
import { EXPECTS } from './expectation.ts';
import { named } from './named.ts';
import { Empty, Nullable, OffsetPage, OffsetQuery, OneOf, Timestamp } from './shapes.ts';

export type DecisionStatus = (typeof DECISION_STATUSES)[number];

export const Decision = named(
  'Decision',
  Type.Object({
    kind: named('DecisionKind', OneOf(DECISION_KINDS)),
    status: named('DecisionStatus', OneOf(DECISION_STATUSES)),
    timestamp: Timestamp,
    playbook_key: Nullable(Type.String()),
    annotation: Nullable(Type.String()),
    reviewer_email: Nullable(Type.String()),
  }),
);

const list = {
  auth: secretKey({ scope: 'preview:decisions_list' }),
  query: Type.Object(OffsetQuery),
  response: OffsetPage(Decision),
  errors: [],
} as const;
const decide = {
  auth: secretKey({ scope: 'preview:create_user_decision', permission: 'review' }),
  stability: 'extension',
  body: named(
    'CreateDecisionRequest',
    Type.Object({
      status: OneOf(MANUAL_DECISIONS),
      annotation: Type.String({ minLength: 1, maxLength: DECISION_LIMITS.annotation }),
      reviewer_email: Type.Optional(
        Nullable(
          Type.String({
            ...{ minLength: 3, maxLength: DECISION_LIMITS.actor, pattern: '@' },
            description: 'an e-mail address',
            [EXPECTS]: `an e-mail address of at most ${DECISION_LIMITS.actor} characters`,
          }),
        ),
      ),
    }),
  ),
  response: Empty,
  errors: [],
  assumed: [
    { what: "changes the entity's status, not that of a finished onboarding", why: 'A56' },
    {
      what: 'ends the runs of the entity that are pending as it decides: signals and event, but no decision of theirs',
      why: 'ours: what comes of them later may not overwrite what a person decided',
    },
  ],
} as const;

export const decisionEndpoints = [
  endpoint('GET /users/{fp_id}/decisions', {
    operationId: 'listUserDecisions',
    ...list,
    stability: 'extension',
    summary: 'What was decided about a user, newest first',
  }),
  endpoint('POST /users/{fp_id}/decisions', {
    operationId: 'createUserDecision',
    ...decide,
    summary: 'Decide about a user by hand',
  }),
  endpoint('GET /businesses/{fp_bid}/decisions', {
    operationId: 'listBusinessDecisions',
    ...list,
    stability: 'preview',
    summary: 'What was decided about a business, newest first',
  }),
  endpoint('POST /businesses/{fp_bid}/decisions', {
    operationId: 'createBusinessDecision',
    ...decide,
    summary: 'Decide about a business by hand',
  }),
] as const;
