/**
 * Compares a caller's statement with stored values, and two entities with each other; no value is ever returned
 * (contract §10).
 */
import { Type } from '@sinclair/typebox';
import {
  COMPARISON_RESULTS,
  STATED_VALUE_LIMIT,
  STATED_VALUES_LIMIT,
  VERIFICATION_RESULTS,
} from '../vault/facts.ts';
import { endpoint, ofBusiness, secretKey } from '../../contract/endpoint.ts';
import { EXPECTS } from '../../contract/expectation.ts';
import { named, Nullable, OneOf, Reason } from '../../contract/shapes.ts';

const Identifier = Type.String({ minLength: 1, maxLength: 256, description: 'a data identifier' });

const StatedValue = Type.String({
  minLength: 1,
  maxLength: STATED_VALUE_LIMIT,
  description: 'the value that the caller stated',
});
/** The result for one stated value. */
export const VerificationResult = named('VerificationResult', OneOf(VERIFICATION_RESULTS));

const verify = endpoint('POST /users/{fp_id}/verify', {
  operationId: 'verifyUserSaying',
  auth: secretKey(),
  stability: 'extension',
  body: named(
    'VerifySayingRequest',
    Type.Object({
      identifier: Type.Optional(Identifier),
      value: Type.Optional(StatedValue),
      values: Type.Optional(
        Type.Array(named('Saying', Type.Object({ identifier: Identifier, value: StatedValue })), {
          minItems: 1,
          maxItems: STATED_VALUES_LIMIT,
          description: 'several at once, in place of identifier and value',
        }),
      ),
      reason: Type.Optional(Reason),
    }),
  ),
  response: named(
    'SayingVerification',
    Type.Object({
      identifier: Type.Optional(Type.String({ description: 'as in the request; left out with values' })),
      result: Type.Optional(VerificationResult),
      results: Type.Array(
        named(
          'VerifiedSaying',
          Type.Object({
            identifier: Type.String(),
            result: VerificationResult,
            hint: Nullable(Type.String({ description: 'how to give the value, if it is unreadable' })),
          }),
        ),
      ),
    }),
  ),
  errors: ['reason_required'],
  assumed: [
    {
      what: 'needs decrypt of the identifier and a reason, and is logged in the access log as verify; returns no value',
      why: 'ours: the result reveals something about the value',
    },
    {
      what: 'compared as the vault stores it; a phone number may lack +1, a date may be as people write it (03/12/84, 12 March 1984), a country or US state may be a name; both readings of an ambiguous date count',
      why: 'ours: people write numbers and dates in many forms',
    },
    {
      what: 'several values have one reason, one entry in the access log and one result each',
      why: 'ours: a caller gives several facts in one breath',
    },
    {
      what: 'unreadable, with a hint, for a text that the field can never have',
      why: 'ours: garbage is no wrong answer of the caller',
    },
  ],
  summary: 'Check a stated value against the stored value of a user',
});

const compare = endpoint('POST /users/{fp_id}/compare', {
  operationId: 'compareUsers',
  auth: secretKey(),
  stability: 'extension',
  body: named(
    'CompareRequest',
    Type.Object(
      {
        with: Type.String({ minLength: 1, maxLength: 128, description: 'id of another of the same kind' }),
        reason: Type.Optional(Reason),
      },
      { [EXPECTS]: 'an object with the member with' },
    ),
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
  summary: 'Compare two users field by field, without showing values',
});

export const comparisonEndpoints = [verify, ofBusiness(verify), compare, ofBusiness(compare)] as const;
