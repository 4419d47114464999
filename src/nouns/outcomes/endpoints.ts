/** Rules by which a test decides the outcome of a run (contract §4.3, §11). */
import { Type } from '@sinclair/typebox';
import { control, endpoint } from '../../contract/endpoint.ts';
import { EXPECTS } from '../../contract/expectation.ts';
import {
  named,
  CursorPage,
  CursorQuery,
  Empty,
  Nullable,
  OutcomeName,
  PlaybookKindName,
  SpaceQuery,
  strict,
} from '../../contract/shapes.ts';
import { ReasonCode } from '../risk-signals/endpoints.ts';

const Glob = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'a text of 1 to 256 characters; * matches any part',
  [EXPECTS]: 'a string of 1 to 256 characters, where * stands for any part',
});
const Match = named(
  'OutcomeRuleMatch',
  Type.Object(
    {
      fp_id: Type.Optional(Glob),
      external_id: Type.Optional(Glob),
      sandbox_id: Type.Optional(Glob),
      playbook_key: Type.Optional(Glob),
      kind: Type.Optional(PlaybookKindName),
      identifier: Type.Optional(
        Type.Object(
          {
            name: Type.String({ minLength: 1, maxLength: 300, [EXPECTS]: 'a data identifier' }),
            equals: Type.String({
              minLength: 1,
              maxLength: 1024,
              description: 'a text of 1 to 1024 characters; stored sealed, returned masked',
            }),
          },
          strict,
        ),
      ),
    },
    strict,
  ),
);
const Codes = Type.Array(ReasonCode, { maxItems: 100, [EXPECTS]: 'a list of at most 100 reason codes' });
const settable = {
  priority: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  enabled: Type.Optional(Type.Boolean()),
  delay_ms: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 0,
        maximum: 2_592_000_000,
        description: 'milliseconds, 0 to 30 days',
        [EXPECTS]: 'an integer of milliseconds from 0 to 2592000000 (30 days)',
      }),
    ),
  ),
  signals: Type.Optional(Type.Object({ add: Type.Optional(Codes), remove: Type.Optional(Codes) }, strict)),
  times: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 }))),
};

const OutcomeRule = named(
  'OutcomeRule',
  Type.Object({
    id: Type.String(),
    priority: Type.Integer({ description: '0 is tried first; the oldest first among equals' }),
    enabled: Type.Boolean(),
    match: Match,
    outcome: OutcomeName,
    delay_ms: Type.Optional(Type.Integer()),
    signals: Type.Optional(Type.Object({ add: Codes, remove: Codes })),
    times: Type.Optional(Type.Integer()),
    remaining: Nullable(Type.Integer({ description: 'of times; null without' })),
  }),
);

export const NewOutcomeRule = named(
  'CreateOutcomeRuleRequest',
  Type.Object({ match: Match, outcome: OutcomeName, ...settable }, strict),
);

export const outcomeEndpoints = [
  endpoint('GET /_kyclone/outcomes', {
    operationId: 'listOutcomeRules',
    ...control,
    query: Type.Object({ ...SpaceQuery, ...CursorQuery }),
    response: CursorPage(OutcomeRule),
    errors: ['not_found'],
    assumed: [{ what: 'in the order in which they are tried', why: 'ours: the first match decides' }],
    summary: 'Outcome rules, in the order in which they are tried',
  }),
  endpoint('POST /_kyclone/outcomes', {
    operationId: 'createOutcomeRule',
    ...control,
    query: Type.Object(SpaceQuery),
    body: NewOutcomeRule,
    response: OutcomeRule,
    errors: ['not_found'],
    assumed: [{ what: 'sandbox-id prefixes and outcome rules choose the result', why: 'A54' }],
    summary: 'Add an outcome rule, which decides matching runs',
  }),
  endpoint('GET /_kyclone/outcomes/{id}', {
    operationId: 'getOutcomeRule',
    ...control,
    query: Type.Object(SpaceQuery),
    response: OutcomeRule,
    summary: 'Read an outcome rule',
  }),
  endpoint('PATCH /_kyclone/outcomes/{id}', {
    operationId: 'updateOutcomeRule',
    ...control,
    query: Type.Object(SpaceQuery),
    body: named(
      'UpdateOutcomeRuleRequest',
      Type.Object({ match: Type.Optional(Match), outcome: Type.Optional(OutcomeName), ...settable }, strict),
    ),
    response: OutcomeRule,
    summary: 'Change an outcome rule; a new value of times restarts its count',
  }),
  endpoint('DELETE /_kyclone/outcomes/{id}', {
    operationId: 'deleteOutcomeRule',
    ...control,
    query: Type.Object(SpaceQuery),
    response: Empty,
    summary: 'Delete an outcome rule',
  }),
] as const;
