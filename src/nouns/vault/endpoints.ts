/** The vault of a user or a business, with the secret key (contract §2.8, §2.16, §2.17, §10). */
import { Type } from '@sinclair/typebox';
import { UPLOAD_LIMIT_BYTES, VAULT_BODY_LIMIT_BYTES } from '../../contract/facts/limits.ts';
import { endpoint, ofBusiness, secretKey } from '../../contract/endpoint.ts';
import { EXPECTS } from '../../contract/expectation.ts';
import { HEADERS } from '../requests/facts.ts';
import {
  OptionalReason,
  Reason,
  named,
  BusinessVaultData,
  Empty,
  Fields,
  IdentifierMap,
  Timestamp,
  UploadBody,
  UserVaultData,
} from '../../contract/shapes.ts';

export const VersionHeader = {
  [HEADERS.vaultVersion]: Type.Optional(
    Type.String({
      pattern: '^[0-9]{1,15}$',
      description: 'a version of the vault, whose state is read',
      [EXPECTS]: 'the number of a version of the vault, such as 3',
    }),
  ),
};
export const LuhnHeader = { [HEADERS.ignoreLuhn]: Type.Optional(Type.String()) };

const IdentifierFlags = named('IdentifierFlags', Type.Record(Type.String(), Type.Boolean()));

const presence = endpoint('GET /users/{fp_id}/vault', {
  operationId: 'getUserVault',
  auth: secretKey(),
  stability: 'extension',
  query: Type.Object({ fields: Type.Optional(Type.String({ description: 'comma-separated identifiers' })) }),
  headers: Type.Object(VersionHeader),
  response: IdentifierFlags,
  assumed: [
    {
      what: 'returns a map of booleans; without fields all present ones, including derived ones',
      why: 'A40',
    },
  ],
  summary: 'List the present identifiers of a user',
});

const write = {
  auth: secretKey(),
  headers: Type.Object(LuhnHeader),
  bodyLimitBytes: VAULT_BODY_LIMIT_BYTES,
  response: Empty,
  errors: ['T120'],
  carriesVaultData: true,
  stability: 'extension',
  assumed: [{ what: 'identifier map, null deletes, returns {}', why: 'A29, A31, A40' }],
} as const;

const update = endpoint('PATCH /users/{fp_id}/vault', {
  operationId: 'updateUserVault',
  ...write,
  body: UserVaultData,
  summary: "Update a user's vault",
});

const validate = endpoint('POST /users/{fp_id}/vault/validate', {
  operationId: 'validateUserVault',
  ...write,
  body: UserVaultData,
  summary: 'Check user data without storing it',
});

const remove = endpoint('DELETE /users/{fp_id}/vault', {
  operationId: 'deleteUserVaultData',
  isAct: true,
  auth: secretKey(),
  stability: 'extension',
  body: named(
    'DeleteVaultDataRequest',
    Type.Object({
      fields: Type.Optional(
        Type.Array(Type.String(), {
          minItems: 1,
          maxItems: 1000,
          [EXPECTS]: 'a list of 1 to 1000 data identifiers',
        }),
      ),
      delete_all: Type.Optional(Type.Boolean()),
      purge: Type.Optional(
        Type.Boolean({ description: 'also destroys earlier versions of the deleted data' }),
      ),
      reason: OptionalReason,
    }),
  ),
  response: IdentifierFlags,
  errors: ['T120'],
  assumed: [{ what: 'exactly one of fields and delete_all; returns a map of booleans', why: 'A40' }],
  summary: "Delete identifiers of a user's vault",
});

export const DecryptMembers = {
  fields: Fields,
  reason: Type.Optional(Reason),
  transforms: Type.Optional(
    Type.Array(Type.String(), { [EXPECTS]: 'a list of transforms, such as ["to_lowercase"]' }),
  ),
};

const decrypt = endpoint('POST /users/{fp_id}/vault/decrypt', {
  operationId: 'decryptUserVault',
  auth: secretKey(),
  stability: 'extension',
  headers: Type.Object(VersionHeader),
  body: named(
    'DecryptUserVaultRequest',
    Type.Object({ ...DecryptMembers, version_at: Type.Optional(Timestamp) }),
  ),
  response: IdentifierMap,
  errors: ['reason_required', 'transform_invalid', 'transform_failed'],
  carriesVaultData: true,
  assumed: [
    {
      what: 'fields and reason are required with a secret key; absent data decrypts to null',
      why: 'A33, A40',
    },
  ],
  summary: "Decrypt identifiers of a user's vault, with a reason",
});

const integrity = endpoint('POST /users/{fp_id}/vault/integrity', {
  operationId: 'computeUserVaultIntegrity',
  auth: secretKey({ scope: 'preview:vault_integrity' }),
  stability: 'stable',
  body: named(
    'IntegrityRequest',
    Type.Object({
      fields: Fields,
      signing_key: Type.String({
        pattern: '^([0-9A-Fa-f]{2}){1,256}$',
        description: 'hex, 2 to 512 characters',
        [EXPECTS]: '2 to 512 hexadecimal characters, an even number of them',
      }),
    }),
  ),
  response: named('IntegrityHashes', Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]))),
  assumed: [{ what: 'null for absent data, compact JSON for non-strings', why: 'A36' }],
  summary: 'HMAC-SHA256 of stored values under your own key',
});

const upload = endpoint('POST /users/{fp_id}/vault/{identifier}/upload', {
  operationId: 'uploadUserVaultFile',
  auth: secretKey(),
  stability: 'extension',
  headers: Type.Object(LuhnHeader),
  body: UploadBody,
  bodyLimitBytes: UPLOAD_LIMIT_BYTES,
  takesFile: true,
  response: Empty,
  errors: ['T120'],
  assumed: [{ what: 'raw bytes or a multipart form with the one part upload_file; returns {}', why: 'A35' }],
  summary: "Store a file under an identifier of a user's vault",
});

export const vaultEndpoints = [
  presence,
  update,
  remove,
  validate,
  decrypt,
  integrity,
  upload,
  ofBusiness(presence, { stability: 'stable' }),
  ofBusiness(update, { stability: 'stable', body: BusinessVaultData }),
  ofBusiness(remove, { stability: 'stable' }),
  ofBusiness(validate, { stability: 'stable', body: BusinessVaultData }),
  ofBusiness(decrypt, {
    stability: 'stable',
    body: named('DecryptBusinessVaultRequest', Type.Object(DecryptMembers)),
  }),
  ofBusiness(integrity, { stability: 'extension' }),
  ofBusiness(upload),
] as const;
