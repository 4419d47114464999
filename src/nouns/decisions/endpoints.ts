/** Decisions about an entity, by a playbook or by hand (contract §2.18, §4.4, §10). */
import { Type } from '@sinclair/typebox';
import {
  DECISION_KINDS,
  DECISION_LIMITS,
  DECISION_STATUSES,
  MANUAL_DECISIONS,
} from '../onboardings/facts.ts';
import { endpoint, ofBusiness, secretKey } from '../../contract/endpoint.ts';
import { EXPECTS } from '../../contract/expectation.ts';
import { HitDecisionName } from '../hits/endpoints.ts';
import { named, Empty, Nullable, OffsetPage, OffsetQuery, OneOf, Timestamp } from '../../contract/shapes.ts';

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

const list = endpoint('GET /users/{fp_id}/decisions', {
  operationId: 'listUserDecisions',
  auth: secretKey({ scope: 'preview:decisions_list' }),
  stability: 'extension',
  query: Type.Object(OffsetQuery),
  response: OffsetPage(Decision),
  summary: 'Decisions about a user, newest first',
});
const decide = endpoint('POST /users/{fp_id}/decisions', {
  operationId: 'createUserDecision',
  isAct: true,
  auth: secretKey({ scope: 'preview:create_user_decision' }),
  stability: 'extension',
  body: named(
    'CreateDecisionRequest',
    Type.Object({
      status: OneOf(MANUAL_DECISIONS),
      hits: Type.Optional(HitDecisionName),
      annotation: Type.String({ minLength: 1, maxLength: DECISION_LIMITS.annotation }),
      reviewer_email: Type.Optional(
        Nullable(
          Type.String({
            minLength: 3,
            maxLength: DECISION_LIMITS.actor,
            pattern: '@',
            description: 'an e-mail address',
            [EXPECTS]: `an e-mail address of at most ${DECISION_LIMITS.actor} characters`,
          }),
        ),
      ),
    }),
  ),
  response: Empty,
  assumed: [
    {
      what: 'hits: decides with the same reason on all hits of the latest finished onboarding that nobody decided on; without it they remain undecided',
      why: 'ours: a decision about a person settles what was found about them',
    },
    { what: "changes the entity's status, not that of a finished onboarding", why: 'A56' },
    {
      what: 'ends runs of the entity that are pending or wait for the document of a step_up, with the same result: they get an event, but no signals and no decision of their own',
      why: 'ours: their later results must not overwrite a manual decision',
    },
  ],
  summary: 'Add a manual decision about a user',
});

export const decisionEndpoints = [
  list,
  decide,
  ofBusiness(list, { stability: 'preview' }),
  ofBusiness(decide),
] as const;
