/** Client tokens, and the vault endpoints that accept them (contract §0.2, §2.2–2.7, §2.15, §10). */
import { Type } from '@sinclair/typebox';
import { LEGACY_TOKEN_SCOPES, TOKEN_SCOPES, TOKEN_TTL_SECONDS } from './facts.ts';
import { UPLOAD_LIMIT_BYTES, VAULT_BODY_LIMIT_BYTES } from '../../contract/facts/limits.ts';
import {
  clientToken,
  controlToken,
  endpoint,
  ofBusiness,
  pathToken,
  secretKey,
} from '../../contract/endpoint.ts';
import { EXPECTS } from '../../contract/expectation.ts';
import {
  named,
  BusinessVaultData,
  Empty,
  Fields,
  FileContent,
  IdentifierMap,
  OneOf,
  Timestamp,
  UploadBody,
  UserVaultData,
  Reason,
} from '../../contract/shapes.ts';
import { DecryptMembers, LuhnHeader, VersionHeader } from '../vault/endpoints.ts';

export const TokenScopeName = named('TokenScope', OneOf(TOKEN_SCOPES));

const mint = endpoint('POST /users/{fp_id}/client_token', {
  operationId: 'createUserClientToken',
  auth: secretKey(),
  stability: 'stable',
  body: named(
    'CreateClientTokenRequest',
    Type.Object({
      scope: Type.Optional(TokenScopeName),
      scopes: Type.Optional(
        Type.Array(OneOf(LEGACY_TOKEN_SCOPES), {
          minItems: 1,
          maxItems: 3,
          description: 'the older form of scope',
        }),
      ),
      fields: Type.Optional(
        Type.Array(Type.String(), {
          minItems: 1,
          maxItems: 100,
          description:
            'a list of 1 to 100 identifiers; an image of a document may carry a version, as …image:2',
          [EXPECTS]: 'a list of 1 to 100 data identifiers',
        }),
      ),
      ttl: Type.Optional(
        Type.Integer({
          minimum: TOKEN_TTL_SECONDS.least,
          maximum: TOKEN_TTL_SECONDS.most,
          default: TOKEN_TTL_SECONDS.default,
          description: `seconds, ${TOKEN_TTL_SECONDS.least} to ${TOKEN_TTL_SECONDS.most}`,
          [EXPECTS]: `an integer of seconds from ${TOKEN_TTL_SECONDS.least} to ${TOKEN_TTL_SECONDS.most}`,
        }),
      ),
      decrypt_reason: Type.Optional(Reason),
    }),
  ),
  response: named(
    'ClientToken',
    Type.Object({ token: Type.String(), expires_at: Timestamp, fields: Type.Array(Type.String()) }),
  ),
  errors: ['permission_denied'],
  assumed: [
    { what: 'body scope, fields, ttl, decrypt_reason; answer token, expires_at, fields', why: 'A28' },
  ],
  summary: 'A short-lived token for some of a user’s identifiers, for a browser or a phone',
});

const write = {
  auth: clientToken({ may: 'write' }),
  letsPagesIn: true,
  stability: 'stable',
  headers: Type.Object(LuhnHeader),
  // The token names the entity, a user or a business.
  body: Type.Union([UserVaultData, BusinessVaultData], {
    [EXPECTS]: 'an object of data identifiers and values',
  }),
  bodyLimitBytes: VAULT_BODY_LIMIT_BYTES,
  response: Empty,
  errors: ['T120', 'permission_denied'],
  carriesVaultData: true,
} as const;

export const clientTokenEndpoints = [
  mint,
  ofBusiness(mint, { summary: 'A short-lived token for some of a business’s identifiers' }),
  endpoint('GET /users/client_token', {
    operationId: 'getClientToken',
    auth: clientToken(),
    letsPagesIn: true,
    stability: 'extension',
    response: named(
      'ClientTokenGrant',
      Type.Object({
        fp_id: Type.String(),
        scope: TokenScopeName,
        fields: Type.Array(Type.String()),
        expires_at: Timestamp,
      }),
    ),
    summary: 'The scope of a client token',
  }),
  endpoint('PATCH /users/vault', {
    operationId: 'updateVault',
    ...write,
    summary: 'Write the identifiers that a client token names',
    assumed: [
      { what: 'an identifier map, null deletes, the answer is {}', why: 'A29' },
      { what: 'an identifier or ability outside the token is 403', why: 'A30' },
    ],
  }),
  endpoint('POST /users/vault/validate', {
    operationId: 'validateVault',
    ...write,
    summary: 'Check data against a client token and the vault without storing it',
    assumed: [{ what: 'takes the body of PATCH /users/vault, answers {} or T120', why: 'A31' }],
  }),
  endpoint('POST /users/vault/decrypt', {
    operationId: 'decryptVault',
    auth: clientToken({ may: 'decrypt' }),
    letsPagesIn: true,
    stability: 'stable',
    headers: Type.Object(VersionHeader),
    body: named('DecryptVaultRequest', Type.Object({ ...DecryptMembers, fields: Type.Optional(Fields) })),
    response: IdentifierMap,
    errors: ['permission_denied', 'reason_required', 'transform_invalid', 'transform_failed'],
    logsRefusalAs: 'decrypt',
    carriesVaultData: true,
    assumed: [
      { what: 'without fields all fields of the token; absent data decrypts to null', why: 'A32, A33' },
    ],
    summary: 'Decrypt the identifiers that a client token names, with a reason',
  }),
  endpoint('GET /users/vault/decrypt/{token}', {
    operationId: 'downloadVaultFile',
    auth: pathToken({ may: 'download' }),
    letsPagesIn: true,
    stability: 'stable',
    query: Type.Object({ reason: Type.Optional(Reason) }),
    response: FileContent,
    produces: 'application/octet-stream',
    errors: ['permission_denied', 'reason_required'],
    logsRefusalAs: 'download',
    assumed: [
      { what: 'the token of the path is the only credential; the content type is stored', why: 'A34' },
    ],
    summary: 'Download the one datum of a decrypt_download token',
  }),
  endpoint('POST /users/vault/{identifier}/upload', {
    operationId: 'uploadVaultFile',
    auth: clientToken({ may: 'upload' }),
    letsPagesIn: true,
    stability: 'stable',
    headers: Type.Object(LuhnHeader),
    body: UploadBody,
    bodyLimitBytes: UPLOAD_LIMIT_BYTES,
    takesFile: true,
    response: Empty,
    errors: ['T120', 'permission_denied'],
    assumed: [{ what: 'a token that may write; raw or multipart; the answer is {}', why: 'A35' }],
    summary: 'Store a file under an identifier that a client token names',
  }),
  endpoint('DELETE /_kyclone/tokens/{id}', {
    operationId: 'revokeClientToken',
    auth: controlToken,
    stability: 'emulator',
    response: Empty,
    summary: 'Revoke a client token',
  }),
] as const;
