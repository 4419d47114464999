/** Stored configurations of the vault proxy (contract §3.4). */
import { Type, type Static } from '@sinclair/typebox';
import { REASON_LIMIT } from '../access-log/facts.ts';
import { INGRESS_TYPES } from '../vault/facts.ts';
import { SECRET_SHOWN } from '../../contract/facts/credentials.ts';
import { EXPECTS } from '../../contract/expectation.ts';
import {
  named,
  CursorPage,
  CursorQuery,
  Empty,
  EnvironmentName,
  Nullable,
  OneOf,
  SpaceQuery,
  Timestamp,
  strict,
} from '../../contract/shapes.ts';
import { control, endpoint } from '../../contract/endpoint.ts';
import { ProxyMethodName } from '../vault-proxy/endpoints.ts';

const HeaderMap = (description: string) =>
  Type.Record(
    Type.String(),
    Type.String({ maxLength: 8192, description: 'a text of at most 8192 characters' }),
    {
      maxProperties: 50,
      description,
      [EXPECTS]: 'an object of at most 50 headers, each name with its value',
    },
  );
const Pem = (description: string) =>
  Type.String({ minLength: 1, maxLength: 32_000, description, [EXPECTS]: `a text: ${description}` });

const ClientIdentity = named(
  'StoredClientIdentity',
  Type.Object(
    {
      certificate: Pem('the PEM of a client certificate, followed by its chain'),
      key: Pem('the PEM of its private key, not encrypted'),
    },
    { ...strict, description: 'an object of certificate and key, both PEM' },
  ),
);

const IngressRule = named(
  'StoredIngressRule',
  Type.Object(
    {
      token: Type.String({
        pattern: '^(?:fp_[A-Za-z0-9_]+\\.)?[A-Za-z0-9_.-]{1,256}$',
        description: '<fp_id>.<data_identifier>, or <data_identifier> for the entity of x-fp-id',
        examples: ['custom.score'],
        [EXPECTS]: 'a data identifier, with or without the id of its user or business before it',
      }),
      target: Type.String({
        minLength: 1,
        maxLength: 16_384,
        description: 'a JSON path, optionally followed by transforms',
        examples: ['$.score'],
      }),
    },
    strict,
  ),
);

const Ingress = named(
  'StoredIngress',
  Type.Object(
    {
      content_type: Type.Optional(OneOf(INGRESS_TYPES)),
      rules: Type.Array(IngressRule, { maxItems: 100, description: 'a list of at most 100 ingress rules' }),
    },
    { ...strict, description: 'an object of content_type and rules' },
  ),
);

const members = {
  name: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: 'a text of 1 to 128 characters' }),
  ),
  method: Type.Optional(ProxyMethodName),
  access_reason: Type.Optional(
    Type.String({ maxLength: REASON_LIMIT, description: `a text of at most ${REASON_LIMIT} characters` }),
  ),
  headers: Type.Optional(HeaderMap('an object of up to 50 headers for the target')),
  secret_headers: Type.Optional(HeaderMap('an object of up to 50 headers for the target, kept secret')),
  pins: Type.Optional(
    Type.Array(Pem('the PEM of a certificate'), {
      maxItems: 20,
      description: 'a list of up to 20 PEM certificates',
    }),
  ),
  ingress: Type.Optional(Ingress),
  enabled: Type.Optional(Type.Boolean()),
} as const;

const Url = Type.String({
  minLength: 1,
  maxLength: 8192,
  description: 'an absolute http or https URL, without user info and fragment',
  examples: ['https://api.example.com/checks'],
  [EXPECTS]: 'an http or https URL of at most 8192 characters',
});

export const ProxyConfiguration = named(
  'ProxyConfiguration',
  Type.Object({
    id: Type.String({ description: 'proxy_id_…' }),
    name: Type.String(),
    url: Type.String(),
    method: ProxyMethodName,
    access_reason: Type.String(),
    headers: Type.Record(Type.String(), Type.String()),
    secret_headers: Type.Record(Type.String(), OneOf([SECRET_SHOWN]), {
      description: 'the names of the secret headers; no response has their values',
    }),
    client_identity: Type.Optional(
      Type.Object(
        { subject: Type.String(), expires_at: Timestamp },
        {
          description:
            'subject and expiry of the client certificate, if there is one; no response has the certificate or its key',
        },
      ),
    ),
    pins: Type.Array(Type.String()),
    ingress: Type.Object({
      content_type: OneOf(INGRESS_TYPES),
      rules: Type.Array(Type.Object({ token: Type.String(), target: Type.String() })),
    }),
    tenant: Type.String(),
    environment: EnvironmentName,
    enabled: Type.Boolean(),
    created_at: Timestamp,
  }),
);
export type ProxyConfiguration = Static<typeof ProxyConfiguration>;

export const proxyEndpoints = [
  endpoint('GET /_kyclone/proxies', {
    operationId: 'listProxyConfigurations',
    ...control,
    query: Type.Object({ ...SpaceQuery, ...CursorQuery }),
    response: CursorPage(ProxyConfiguration),
    errors: ['not_found'],
    summary: 'Proxy configurations of a tenant and environment, newest first',
  }),
  endpoint('POST /_kyclone/proxies', {
    operationId: 'createProxyConfiguration',
    ...control,
    query: Type.Object(SpaceQuery),
    body: named(
      'CreateProxyConfigurationRequest',
      Type.Object({ url: Url, ...members, client_identity: Type.Optional(ClientIdentity) }, strict),
    ),
    response: ProxyConfiguration,
    errors: ['not_found', 'transform_invalid'],
    assumed: [
      { what: 'proxy configurations are managed through the control plane', why: 'A74' },
      {
        what: 'url is required; the name defaults to its host, the method to POST, the rest to nothing',
        why: 'ours: the contract requires no member',
      },
      {
        what: 'secret headers are shown as names with ***, the client identity as subject and expiry',
        why: 'ours: both are write-only',
      },
      {
        what: 'the egress policy is applied when the target is called, not when it is stored',
        why: 'ours: the policy and what a name resolves to may change in between',
      },
    ],
    summary: 'Store a proxy configuration: a target with its headers, certificates and ingress rules',
  }),
  endpoint('GET /_kyclone/proxies/{id}', {
    operationId: 'getProxyConfiguration',
    ...control,
    query: Type.Object(SpaceQuery),
    response: ProxyConfiguration,
    summary: 'Read a proxy configuration, without its secrets',
  }),
  endpoint('PATCH /_kyclone/proxies/{id}', {
    operationId: 'updateProxyConfiguration',
    ...control,
    query: Type.Object(SpaceQuery),
    body: named(
      'UpdateProxyConfigurationRequest',
      Type.Object(
        { url: Type.Optional(Url), ...members, client_identity: Type.Optional(Nullable(ClientIdentity)) },
        strict,
      ),
    ),
    response: ProxyConfiguration,
    errors: ['transform_invalid'],
    assumed: [
      {
        what: 'a given member replaces the stored one completely; *** keeps a stored secret header, null removes the client identity',
        why: 'ours: a response may be sent back as it is',
      },
      {
        what: 'a url of another origin removes the secret headers and the client identity that the same request does not contain; *** is refused there',
        why: 'ours: they were given for the origin that was stored with them',
      },
    ],
    summary: 'Change, disable or enable a proxy configuration',
  }),
  endpoint('DELETE /_kyclone/proxies/{id}', {
    operationId: 'deleteProxyConfiguration',
    ...control,
    query: Type.Object(SpaceQuery),
    response: Empty,
    summary: 'Delete a proxy configuration with its secrets',
  }),
] as const;
