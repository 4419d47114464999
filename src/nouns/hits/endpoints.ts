/** Names found by a watchlist or media check, and a person's decisions about them (contract §11). */
import { Type } from '@sinclair/typebox';
import { HIT_CODES, HIT_DECISIONS } from '../../contract/facts/cases.ts';
import { control, endpoint } from '../../contract/endpoint.ts';
import { named, Nullable, OneOf, SpaceQuery, Timestamp, Reason } from '../../contract/shapes.ts';
import { SeverityName } from '../risk-signals/endpoints.ts';

export const HitDecisionName = named('HitDecision', OneOf(HIT_DECISIONS));
const OnboardingId = Type.Optional(
  Type.String({
    maxLength: 128,
    description: 'an onboarding of the entity; the latest finished one by default',
  }),
);

export const Hit = named(
  'Hit',
  Type.Object({
    onboarding_id: Type.String(),
    reason_code: named('HitCode', OneOf(HIT_CODES)),
    severity: SeverityName,
    found_at: Timestamp,
    list: Type.String({ description: 'made up' }),
    matched_name: Type.String({ description: 'made up' }),
    score: Type.Integer({ description: 'similarity of the names, from 60 to 99; made up' }),
    review: Nullable(
      named(
        'HitReview',
        Type.Object({
          decision: HitDecisionName,
          reason: Type.String(),
          operator: Nullable(Type.String()),
          at: Timestamp,
        }),
      ),
    ),
  }),
);

export const hitEndpoints = [
  endpoint('GET /_kyclone/entities/{fp_id}/hits', {
    operationId: 'listHits',
    ...control,
    query: Type.Object({ ...SpaceQuery, onboarding_id: OnboardingId }),
    response: Type.Array(Hit),
    assumed: [
      {
        what: 'one hit for each risk signal of a watchlist or of adverse media; list, name and score are derived from the id of the entity and the code',
        why: 'ours: no list is asked; a seed that gives the same ids gives the same hits',
      },
    ],
    summary: 'The watchlist and media hits of an onboarding, each with its decision',
  }),
  endpoint('POST /_kyclone/entities/{fp_id}/hits/{reason_code}/review', {
    operationId: 'createHitReview',
    isAct: true,
    ...control,
    query: Type.Object(SpaceQuery),
    body: named(
      'ReviewHitRequest',
      Type.Object(
        { decision: HitDecisionName, reason: Reason, onboarding_id: OnboardingId },
        { additionalProperties: false },
      ),
    ),
    response: Hit,
    assumed: [
      {
        what: "applies to the hit of one onboarding; the last decision counts and all are kept; status, open review and signals don't change",
        why: 'ours: a decision about the person is a manual decision',
      },
    ],
    summary: 'Decide whether a hit is a false positive or confirmed',
  }),
] as const;
