/** Vaulted data in requests to third parties (contract §3.3, §10), and the explanation of such calls (§11). */
import { Type, type Static } from '@sinclair/typebox';
import { BODY_ENCODINGS, PINNED } from '../vault/facts.ts';
import { FORWARD_PREFIX, HTTP_METHODS, PROXY_HEADERS, type HttpMethod } from '../requests/facts.ts';
import { PROXY_BODY_LIMIT_BYTES } from '../../contract/facts/limits.ts';
import { endpoint, secretKey } from '../../contract/endpoint.ts';
import { named, AnyBody, Nullable, OneOf } from '../../contract/shapes.ts';
import { EgressPolicy } from '../settings/endpoints/index.ts';

export const ProxyMethodName = named('HttpMethod', OneOf(HTTP_METHODS));

const EntityHeader = {
  [PROXY_HEADERS.entity]: Type.Optional(
    Type.String({ description: 'the default entity of tokens and rules' }),
  ),
};

const PathHeader = {
  [PROXY_HEADERS.pathAndQuery]: Type.Optional(
    Type.String({
      description: 'appended to the target, which then has no query; no dot segments, no fragment',
    }),
  ),
};
const ForwardHeader = {
  [`${FORWARD_PREFIX}<NAME>`]: Type.Optional(
    Type.String({ description: 'sent to the target as <NAME>; content-type decides how values are escaped' }),
  ),
};

/** For the documents only: its service reads the raw headers and checks them together. */
const ProxyHeaders = Type.Object({
  [PROXY_HEADERS.targetUrl]: Type.String({
    description: 'absolute http or https URL, without user info and fragment',
    examples: ['TARGET_URL'],
  }),
  ...PathHeader,
  [PROXY_HEADERS.method]: Type.Optional(
    Type.Unsafe<HttpMethod>({
      ...ProxyMethodName,
      description: 'POST unless given; GET and HEAD send no body',
    }),
  ),
  ...EntityHeader,
  [PROXY_HEADERS.accessReason]: Type.Optional(
    Type.String({ description: 'the reason in the access log, for every resolved datum' }),
  ),
  [PROXY_HEADERS.clientCertificate]: Type.Optional(
    Type.String({ description: 'client certificate, with its key: base64 of PEM, or percent-encoded PEM' }),
  ),
  [PROXY_HEADERS.clientKey]: Type.Optional(
    Type.String({
      description: 'private key of the client certificate: base64 of PEM, or percent-encoded PEM',
    }),
  ),
  [PROXY_HEADERS.pins]: Type.Optional(
    Type.String({ description: 'certificates to trust instead of any other, comma-joined' }),
  ),
  [PROXY_HEADERS.ingressContentType]: Type.Optional(
    Type.String({ description: 'json; required with a rule' }),
  ),
  [PROXY_HEADERS.ingressRule]: Type.Optional(
    Type.String({
      description: '<fp_id>.<data_identifier>=<json_path>, comma-joined; takes transforms; needs vault.write',
    }),
  ),
  ...ForwardHeader,
});
/** Headers for a call with a stored configuration (contract §3.4). */
const CallHeaders = Type.Object({ ...EntityHeader, ...PathHeader, ...ForwardHeader });

const TokenNote = named(
  'ProxyToken',
  Type.Object({
    token: Type.String({ description: 'entity and identifier' }),
    found: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'null when the call was refused before it was looked up',
    }),
    transforms: Type.Array(Type.String({ description: 'a name, without arguments' })),
    input_masked: Nullable(Type.String()),
    output_masked: Nullable(Type.String()),
  }),
);

const HeaderNotes = named(
  'ProxyHeaders',
  Type.Object({
    forwarded: Type.Array(Type.String(), {
      description: "names of the caller's headers that were sent to the target",
    }),
    refused: Type.Array(Type.String(), { description: 'names that must not be forwarded' }),
    stripped: Type.Array(Type.String(), {
      description: "names of the caller's headers that were not forwarded",
    }),
  }),
);

const IngressNote = named(
  'ProxyIngress',
  Type.Object({
    rule: Type.String({ description: 'without transform arguments' }),
    matched: Type.Boolean(),
    stored_as: Nullable(Type.String()),
    reason: Nullable(Type.String({ description: 'why nothing was stored' })),
  }),
);

/** An answer of a target that the caller did not get, since an ingress rule failed. */
const WithheldAnswer = named(
  'ProxyWithheldAnswer',
  Type.Object({
    headers: Type.Array(Type.String(), { description: 'names' }),
    body: Type.Unknown({ description: 'masked' }),
  }),
);

/** The proxy part of a journal entry. */
export const ProxySummary = named(
  'ProxySummary',
  Type.Object({
    url: Nullable(Type.String({ description: 'without its query' })),
    status: Nullable(Type.Integer()),
    sent: Type.Boolean({ description: 'false when nothing was sent to the target, not even in part' }),
    tokens: Type.Array(Type.String()),
    withheld: Type.Optional(WithheldAnswer),
  }),
);
export type ProxySummary = Static<typeof ProxySummary>;

export const ProxyExplanation = named(
  'ProxyExplanation',
  Type.Object({
    target: Nullable(Type.String({ description: 'without its query' })),
    policy: EgressPolicy,
    sent: Type.Boolean({ description: 'false when nothing was sent to the target, not even in part' }),
    resolved_addresses: Type.Array(Type.String()),
    tokens: Type.Array(TokenNote),
    headers: HeaderNotes,
    tls: Nullable(
      Type.Object({
        version: Nullable(Type.String()),
        pinned: Nullable(OneOf(PINNED)),
        chain: Type.Array(Type.String({ description: 'subject of each certificate, the leaf first' })),
      }),
    ),
    ingress: Type.Array(IngressNote),
    upstream: Nullable(
      Type.Object({
        status: Nullable(Type.Integer()),
        ms_connect: Nullable(Type.Number()),
        ms_total: Type.Number(),
      }),
    ),
    withheld: Type.Optional(WithheldAnswer),
    hints: Type.Array(Type.String()),
  }),
);
export type ProxyExplanation = Static<typeof ProxyExplanation>;

const Rendering = named(
  'ProxyRendering',
  Type.Object({
    method: ProxyMethodName,
    url: Type.String(),
    headers: Type.Record(Type.String(), Type.String()),
    body: Type.String({ description: 'as text; base64 when it is no UTF-8' }),
    encoding: OneOf(BODY_ENCODINGS),
    masked: Type.Boolean({ description: 'whether values are masked' }),
    policy: EgressPolicy,
    resolved_addresses: Type.Array(Type.String()),
    tokens: Type.Array(TokenNote),
    stripped: HeaderNotes.properties.stripped,
    ingress: Type.Array(Type.String({ description: 'a rule, without transform arguments' })),
  }),
);
export type Rendering = Static<typeof Rendering>;

const TOKEN_ERRORS = [
  'proxy_token_invalid',
  'proxy_token_unresolved',
  'proxy_too_many_tokens',
  'transform_invalid',
  'transform_failed',
] as const;

const takesTemplate = {
  body: AnyBody,
  bodyOptional: true,
  bodyLimitBytes: PROXY_BODY_LIMIT_BYTES,
  takesAnyBody: true,
} as const;

const sends = {
  ...takesTemplate,
  response: AnyBody,
  produces: '*/*',
  answersAnyStatus: true,
  answers:
    "The target's status, body and content type; its other headers as x-fp-proxy-fwd-<name>, its status once more " +
    'in x-fp-proxy-upstream-status-code, ingress rules that selected nothing in x-fp-proxy-ingress-skipped',
  logsRefusalAs: 'proxy',
} as const;

const SENDING_ERRORS = [
  ...TOKEN_ERRORS,
  'T120',
  'not_found',
  'proxy_target_refused',
  'proxy_upstream_unreachable',
  'proxy_response_too_large',
  'proxy_ingress_failed',
  'proxy_upstream_timeout',
] as const;

export const vaultProxyEndpoints = [
  endpoint('POST /vault_proxy/jit', {
    operationId: 'sendVaultProxyRequest',
    ...sends,
    auth: secretKey({ scope: 'preview:vault_proxy_jit' }),
    stability: 'stable',
    headers: ProxyHeaders,
    errors: SENDING_ERRORS,
    summary: 'Send a request to a third party, tokens in its body replaced by vaulted data',
    assumed: [
      { what: 'token grammar, escaping and errors of tokens', why: 'A45, A47' },
      { what: 'content type and headers of the request to the target', why: 'A46' },
      { what: 'egress policies', why: 'A48' },
      { what: "returns the target's status and body, with its other headers prefixed", why: 'A49' },
      { what: 'ingress rules: skipped paths, failures, replaced values', why: 'A50' },
    ],
  }),
  endpoint('POST /vault_proxy/{proxy_id}', {
    operationId: 'sendStoredProxyRequest',
    ...sends,
    auth: secretKey(),
    stability: 'extension',
    headers: CallHeaders,
    errors: [...SENDING_ERRORS, 'conflict'],
    summary: 'Send a request to the target of a stored proxy configuration, tokens in its body replaced',
    assumed: [
      {
        what: 'sends what jit would send with the stored values as its headers; a stored header takes precedence',
        why: 'A74',
      },
      {
        what: 'needs no preview scope',
        why: 'ours: §0.3 gates POST /vault_proxy/jit, where the caller names the target',
      },
    ],
  }),
  endpoint('POST /vault_proxy/reflect', {
    operationId: 'reflectVaultProxyRequest',
    ...takesTemplate,
    auth: secretKey(),
    stability: 'extension',
    headers: Type.Object({
      ...EntityHeader,
      'x-fp-access-reason': Type.Optional(
        Type.String({ description: 'the reason in the access log, required' }),
      ),
      'x-fp-proxy-fwd-content-type': Type.Optional(
        Type.String({ description: 'decides how values are escaped' }),
      ),
    }),
    response: AnyBody,
    produces: '*/*',
    answers: 'The body as the proxy would send it, with its content type',
    errors: [...TOKEN_ERRORS, 'not_found', 'reason_required'],
    logsRefusalAs: 'reflect',
    summary: 'Return the body with its tokens replaced by vaulted data; sends nothing',
  }),
  endpoint('POST /vault_proxy/render', {
    operationId: 'renderVaultProxyRequest',
    ...takesTemplate,
    auth: secretKey({ scope: 'preview:vault_proxy_jit' }),
    stability: 'extension',
    headers: ProxyHeaders,
    response: Rendering,
    errors: [
      ...TOKEN_ERRORS,
      'T120',
      'not_found',
      'proxy_target_refused',
      'proxy_upstream_unreachable',
      'proxy_upstream_timeout',
    ],
    logsRefusalAs: 'reflect',
    summary: 'Check and show what /vault_proxy/jit would send; sends nothing',
    assumed: [
      {
        what: 'a dry run of jit; values are masked unless x-fp-proxy-access-reason has a reason',
        why: 'the contract has no endpoint for it; with a reason every datum is logged as by reflect',
      },
    ],
  }),
] as const;
