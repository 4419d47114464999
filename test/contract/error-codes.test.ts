import { Type } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import {
  clientToken,
  controlToken,
  endpoint,
  open,
  pathToken,
  secretKey,
  type KeyedEndpoint,
} from '../../src/contract/endpoint.ts';
import { errorCodesOf } from '../../src/contract/openapi-responses.ts';
import { FileContent, UploadBody } from '../../src/contract/shapes.ts';
import { partnerReport } from './openapi-document.ts';
import { words } from '../support/words.ts';

const PLAIN = { response: Type.Object({}), errors: [], summary: '' };

test.each<[string, KeyedEndpoint, string[], string[]]>([
  [
    'a key endpoint with scope and permission',
    partnerReport,
    ['conflict', 'unauthenticated', 'scope_missing', 'permission_denied', 'not_found', 'invalid_json'],
    [],
  ],
  [
    'a control endpoint without a body',
    endpoint('GET /_kyclone/things', {
      ...PLAIN,
      operationId: 'listThings',
      auth: controlToken,
      stability: 'emulator',
    }),
    ['unauthenticated', 'permission_denied', 'origin_refused', 'sealed', 'vault_damaged'],
    words`
        scope_missing not_found invalid_json payload_too_large storage_full store_missing token_expired
      `,
  ],
  [
    'a control endpoint that opens an entity',
    endpoint('PATCH /_kyclone/entities/{fp_id}', {
      ...PLAIN,
      operationId: 'updateEntity',
      auth: controlToken,
      stability: 'emulator',
      body: Type.Object({}),
    }),
    ['vault_damaged', 'not_found', 'permission_denied'],
    [],
  ],
  [
    'any token',
    endpoint('GET /users/client_token', {
      ...PLAIN,
      operationId: 'getClientToken',
      auth: clientToken(),
      stability: 'extension',
    }),
    ['unauthenticated', 'token_expired'],
    ['permission_denied', 'scope_missing', 'not_found', 'storage_full'],
  ],
  [
    'a token that must be able to write',
    endpoint('PATCH /users/vault', {
      ...PLAIN,
      operationId: 'updateVault',
      auth: clientToken({ may: 'write' }),
      stability: 'stable',
      body: Type.Object({}),
      errors: ['T120'],
    }),
    ['T120', 'unauthenticated', 'token_expired', 'permission_denied', 'vault_damaged', 'invalid_json'],
    ['scope_missing', 'not_found'],
  ],
  [
    'an upload, whose body is not JSON',
    endpoint('POST /users/{fp_id}/vault/{identifier}/upload', {
      ...PLAIN,
      operationId: 'uploadUserVaultFile',
      auth: secretKey(),
      stability: 'extension',
      body: UploadBody,
      takesFile: true,
    }),
    ['permission_denied', 'unsupported_media_type', 'payload_too_large', 'storage_full', 'not_found'],
    ['invalid_json', 'token_expired'],
  ],
  [
    'a download, which the access log records',
    endpoint('GET /users/vault/decrypt/{token}', {
      ...PLAIN,
      operationId: 'downloadVaultFile',
      auth: pathToken({ may: 'download' }),
      stability: 'stable',
      response: FileContent,
      produces: 'application/octet-stream',
      errors: ['reason_required'],
      logsRefusalAs: 'download',
    }),
    ['unauthenticated', 'token_expired', 'permission_denied', 'not_found', 'vault_damaged', 'storage_full'],
    ['invalid_json', 'unsupported_media_type', 'payload_too_large'],
  ],
  [
    'a search',
    endpoint('POST /users/search', {
      ...PLAIN,
      operationId: 'searchUsers',
      auth: secretKey(),
      stability: 'extension',
      body: Type.Object({}),
      logsRefusalAs: 'search',
    }),
    ['permission_denied', 'storage_full'],
    ['scope_missing', 'not_found'],
  ],
  [
    'an open endpoint',
    endpoint('GET /_kyclone/page', {
      ...PLAIN,
      operationId: 'getOpenApiDocument',
      auth: open,
      stability: 'emulator',
    }),
    ['misdirected_request', 'origin_refused', 'method_not_allowed', 'headers_too_large', 'internal_error'],
    ['unauthenticated', 'permission_denied'],
  ],
])('errorCodesOf: %s', (_, definition, present, absent) => {
  const codes = errorCodesOf(definition);

  expect(codes).toEqual(expect.arrayContaining(present));
  for (const code of absent) expect(codes).not.toContain(code);
  expect(new Set(codes).size).toBe(codes.length);
});
