/** Claims: who works on a case, for 15 minutes (contract §11). */
import { Type } from '@sinclair/typebox';
import { controlToken, endpoint } from '../../contract/endpoint.ts';
import { named, Empty, SpaceQuery, Timestamp } from '../../contract/shapes.ts';

export const Claim = named(
  'Claim',
  Type.Object(
    { operator: Type.String(), since: Timestamp, until: Timestamp },
    { description: 'who works on the case' },
  ),
);

const control = { stability: 'emulator', auth: controlToken, query: Type.Object(SpaceQuery) } as const;

export const claimEndpoints = [
  endpoint('POST /_kyclone/entities/{fp_id}/claim', {
    operationId: 'createClaim',
    isAct: true,
    ...control,
    body: named(
      'CreateClaimRequest',
      Type.Object({ take_over: Type.Optional(Type.Boolean()) }, { additionalProperties: false }),
    ),
    bodyOptional: true,
    response: Claim,
    errors: ['conflict'],
    assumed: [
      {
        what: 'lasts 15 minutes by the clock of the instance, again with each call of the same operator; it forbids nothing, and needs the header x-kyclone-operator',
        why: 'ours: two people who work from one queue must not decide on the same case',
      },
    ],
    summary: 'Claim a case, or take it over from another operator',
  }),
  endpoint('DELETE /_kyclone/entities/{fp_id}/claim', {
    operationId: 'deleteClaim',
    ...control,
    response: Empty,
    errors: ['conflict'],
    summary: 'Release a claim of your own',
  }),
] as const;
