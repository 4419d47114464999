/** Fault rules (contract §11): deliberate failures, to test how an app handles them. */
import { Type } from '@sinclair/typebox';
import { HTTP_METHODS } from '../../requests/facts.ts';
import { FAULT_ABORTS, FAULT_LATENCY_MS, FAULT_STATUS } from '../../control/facts.ts';
import { control, endpoint } from '../../../contract/endpoint.ts';
import { EXPECTS } from '../../../contract/expectation.ts';
import { named, CursorPage, CursorQuery, Empty, OneOf, strict } from '../../../contract/shapes.ts';

const settable = {
  match: named(
    'FaultRuleMatch',
    Type.Object(
      {
        method: Type.Optional(named('HttpMethod', OneOf(HTTP_METHODS))),
        path: Type.String({
          pattern: '^/[^?#]*$',
          maxLength: 512,
          description: 'a path glob without a query: * stands for one segment, ** for any number of them',
          [EXPECTS]:
            'a path of at most 512 characters that begins with / and has no query (* is one segment, ** any number of them)',
          examples: ['/users/*/kyc'],
        }),
      },
      strict,
    ),
  ),
  status: Type.Optional(Type.Integer({ minimum: FAULT_STATUS.least, maximum: FAULT_STATUS.most })),
  code: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_]{1,64}$',
      description: 'error code of the response; default fault_injected',
      [EXPECTS]: '1 to 64 letters, digits or underscores',
    }),
  ),
  latency_ms: Type.Optional(
    Type.Integer({ minimum: FAULT_LATENCY_MS.least, maximum: FAULT_LATENCY_MS.most }),
  ),
  abort: Type.Optional(OneOf(FAULT_ABORTS)),
  times: Type.Optional(Type.Integer({ minimum: 1, description: 'hits after which the rule is disabled' })),
  probability: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1 })),
  seed: Type.Optional(
    Type.String({ minLength: 1, maxLength: 256, description: "seed of the probability's draws" }),
  ),
};

const FaultRule = named(
  'FaultRule',
  Type.Object({
    id: Type.String(),
    ...settable,
    hits: Type.Integer({ description: 'requests that this rule has failed or delayed' }),
    enabled: Type.Boolean({ description: 'false once times is used up' }),
  }),
);

export const NewFaultRule = named('CreateFaultRuleRequest', Type.Object(settable, strict));

export const faultEndpoints = [
  endpoint('GET /_kyclone/faults', {
    operationId: 'listFaultRules',
    ...control,
    query: Type.Object(CursorQuery),
    response: CursorPage(FaultRule),
    assumed: [
      { what: 'in the order in which they are tried, oldest first', why: 'ours: the first match wins' },
    ],
    summary: 'Fault rules, in the order in which they are tried',
  }),
  endpoint('POST /_kyclone/faults', {
    operationId: 'createFaultRule',
    ...control,
    body: NewFaultRule,
    response: FaultRule,
    assumed: [
      {
        what: 'rules are kept with the instance over restarts, as outcome rules are; draws of a probability go on',
        why: 'ours',
      },
      {
        what: 'a rule for GET is for HEAD too; a CORS preflight meets only rules for OPTIONS; a star beside other characters is 400',
        why: 'ours: HEAD is answered as GET is, a page must be able to read why it failed, and fp_* would match nothing',
      },
      {
        what: 'abort: body cuts off within an error body, never within a successful one; a request without a response has status 0 in the journal',
        why: 'ours',
      },
    ],
    summary: 'Add a fault rule: matching requests fail, are delayed or are cut off',
  }),
  endpoint('GET /_kyclone/faults/{id}', {
    operationId: 'getFaultRule',
    ...control,
    response: FaultRule,
    summary: 'Read a fault rule',
  }),
  endpoint('DELETE /_kyclone/faults/{id}', {
    operationId: 'deleteFaultRule',
    ...control,
    response: Empty,
    summary: 'Delete a fault rule',
  }),
  endpoint('DELETE /_kyclone/faults', {
    operationId: 'deleteFaultRules',
    ...control,
    response: Empty,
    summary: 'Delete every fault rule',
  }),
] as const;
