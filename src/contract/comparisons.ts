/**
 * Compares a caller's statement with stored values, and two entities with each other; no value is ever returned
 * (contract §10).
 */
import { Type } from '@sinclair/typebox';
import { COMPARISON_RESULTS, STATED_VALUE_LIMIT, VERIFICATION_RESULTS } from './facts/vault.ts';
import { endpoint, secretKey } from './endpoint.ts';
import { named } from './named.ts';
import { OneOf } from './shapes.ts';
import { Reason } from './reasons.ts';

const Identifier = Type.String({ minLength: 1, maxLength: 256, description: 'a data identifier' });

const verify = {
  auth: secretKey(),
  stability: 'extension',
  body: named(
    'VerifySayingRequest',
    Type.Object({
      identifier: Identifier,
      value: Type.String({
        minLength: 1,
        maxLength: STATED_VALUE_LIMIT,
        description: 'the value that the caller stated',
      }),
      reason: Type.Optional(Reason),
    }),
  ),
  response: named(
    'SayingVerification',
    Type.Object({ identifier: Type.String(), result: OneOf(VERIFICATION_RESULTS) }),
  ),
  errors: ['reason_required'],
  assumed: [
    {
      what: 'needs decrypt of the identifier and a reason, and is logged in the access log as verify; returns no value',
      why: 'ours: the result reveals something about the value',
    },
    {
      what: 'compared as the vault stores it; a phone number may lack +1, a date may be as people write it (03/12/1984, 12 March 1984)',
      why: 'ours: people write numbers and dates in many forms',
    },
  ],
} as const;

const compare = {
  auth: secretKey(),
  stability: 'extension',
  body: named(
    'CompareRequest',
    Type.Object({
      with: Type.String({ minLength: 1, maxLength: 128, description: 'id of another of the same kind' }),
      reason: Type.Optional(Reason),
    }),
  ),
  response: named(
    'Comparison',
    Type.Object({
      with: Type.String(),
      fields: Type.Array(
        named('ComparedField', Type.Object({ identifier: Type.String(), result: OneOf(COMPARISON_RESULTS) })),
      ),
    }),
  ),
  errors: ['not_found'],
  assumed: [
    {
      what: 'same, different, or unknown if only one of them has it, in this order; needs decrypt of all compared identifiers, and is logged in the access log of both as compare',
      why: 'ours: no value is shown, so a reason may be left out',
    },
  ],
} as const;

export const comparisonEndpoints = [
  endpoint('POST /users/{fp_id}/verify', {
    operationId: 'verifyUserSaying',
    ...verify,
    summary: 'Check a stated value against the stored value of a user',
  }),
  endpoint('POST /businesses/{fp_bid}/verify', {
    operationId: 'verifyBusinessSaying',
    ...verify,
    summary: 'Check a stated value against the stored value of a business',
  }),
  endpoint('POST /users/{fp_id}/compare', {
    operationId: 'compareUsers',
    ...compare,
    summary: 'Compare two users field by field, without showing values',
  }),
  endpoint('POST /businesses/{fp_bid}/compare', {
    operationId: 'compareBusinesses',
    ...compare,
    summary: 'Compare two businesses field by field, without showing values',
  }),
] as const;
