/** The journal: the last requests, masked, and the results of proxy calls (contract §11). */
import { Type } from '@sinclair/typebox';
import { controlToken, endpoint, type Stability } from './endpoint.ts';
import { named } from './named.ts';
import { CursorPage, CursorQuery, Empty, EnvironmentName, Nullable, Timestamp } from './shapes.ts';
import { ProxyExplanation, ProxySummary } from './vault-proxy.ts';

const control = { stability: 'emulator' satisfies Stability, errors: [], auth: controlToken } as const;

const JournalEntry = named(
  'JournalEntry',
  Type.Object({
    id: Type.String(),
    at: Timestamp,
    method: Type.String(),
    path: Type.String({ description: 'path tokens and query values masked' }),
    route: Nullable(Type.String()),
    status: Type.Integer(),
    code: Nullable(Type.String()),
    ms: Type.Number(),
    key_id: Type.Optional(Type.String()),
    token_id: Type.Optional(Type.String()),
    tenant: Nullable(Type.String()),
    environment: Nullable(EnvironmentName),
    proxy: Type.Optional(ProxySummary),
    request: Type.Unknown({ description: 'member names with masked values' }),
    response: Type.Unknown({ description: 'member names with masked values' }),
    faults: Type.Array(Type.String()),
    hint: Type.Optional(
      Type.String({
        description:
          'hints about the request: a similar path or identifier, or a repeated member of the JSON body',
      }),
    ),
  }),
);

const Since = Type.Optional(Type.String({ format: 'date-time' }));

export const requestEndpoints = [
  endpoint('GET /_kyclone/requests', {
    operationId: 'listRequests',
    ...control,
    query: Type.Object({
      ...CursorQuery,
      method: Type.Optional(Type.String()),
      path: Type.Optional(Type.String({ description: 'glob: * one segment, ** any' })),
      status: Type.Optional(Type.Integer()),
      since: Since,
      control: Type.Optional(Type.Boolean({ description: 'false leaves out calls of the control plane' })),
    }),
    response: CursorPage(JournalEntry),
    assumed: [{ what: 'the parameter control, and the members hint and proxy', why: 'ours: for debugging' }],
    summary: 'The last 2,000 requests, values masked',
  }),
  endpoint('GET /_kyclone/requests/{id}', {
    operationId: 'getRequest',
    ...control,
    response: JournalEntry,
    summary: 'One request of the journal',
  }),
  endpoint('GET /_kyclone/requests/{id}/proxy', {
    operationId: 'explainProxyRequest',
    ...control,
    response: ProxyExplanation,
    summary: 'The steps of one vault proxy call, values masked',
    assumed: [
      {
        what: 'resolved addresses, chain and hints are texts; null for a step that was not reached',
        why: '§11',
      },
    ],
  }),
  endpoint('DELETE /_kyclone/requests', {
    operationId: 'deleteRequests',
    ...control,
    response: Empty,
    summary: 'Empty the journal',
  }),
] as const;
