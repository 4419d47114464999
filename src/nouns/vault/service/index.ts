import type { BodyOf, HeadersOf, QueryOf } from '../../../contract/endpoint.ts';
import type { EndpointKey, Registry } from '../../../contract/registry.ts';
import type { Held } from '../../../kernel/byte-budget.ts';
import { listParameter } from '../../../kernel/cursor.ts';
import type { AccessCall } from '../../../vault/access-entry.ts';
import type { Caller } from '../../api-keys/service/index.ts';
import { changesOf, skipsLuhn, type EntityRow } from '../../entities/service/index.ts';
import { answer, vaultAnswer, type Handlers } from '../../handlers.ts';
import type { VaultCall, VaultService } from './operations.ts';

export { readFiles, revealInTurns, transformed } from './files.ts';
export { createVaultService, type VaultActor, type VaultService } from './operations.ts';

type VaultKeys = Extract<
  EndpointKey,
  `${string} /${'users/{fp_id}' | 'businesses/{fp_bid}'}/vault${'' | '/validate' | '/decrypt' | '/integrity' | '/{identifier}/upload'}`
>;
type Presence = Registry['GET /users/{fp_id}/vault'];
type Write = Registry['PATCH /users/{fp_id}/vault'];
type Delete = Registry['DELETE /users/{fp_id}/vault'];
type Decrypt = Registry['POST /users/{fp_id}/vault/decrypt'];
type Integrity = Registry['POST /users/{fp_id}/vault/integrity'];
type Uploading = Registry['POST /users/{fp_id}/vault/{identifier}/upload'];

interface Call {
  readonly entity: EntityRow;
  readonly caller: Caller;
  readonly requestId: string;
  readonly operator: string | null;
  readonly held: Held;
}

/** For users and businesses: the entity of the path determines the allowed identifiers. */
export function vaultHandlers(vault: VaultService): Handlers<VaultKeys> {
  const present = async (request: Call & { query: QueryOf<Presence>; headers: HeadersOf<Presence> }) => {
    const { fields } = request.query;
    const names = fields === undefined ? undefined : listParameter('fields', fields);
    const { values, version } = await vault.present(asOf(request), names);
    return vaultAnswer(values, version);
  };
  const write = async (request: Call & { body: BodyOf<Write>; headers: HeadersOf<Write> }) => {
    const options = { skipLuhn: skipsLuhn(request.headers) };
    return vaultAnswer({}, await vault.write(request, changesOf(request.body), options));
  };
  const validate = (request: Call & { body: BodyOf<Write>; headers: HeadersOf<Write> }) => {
    vault.validate(request, changesOf(request.body), { skipLuhn: skipsLuhn(request.headers) });
    return answer({});
  };
  const remove = async (request: Call & AccessCall & { body: BodyOf<Delete> }) => {
    const { values, version } = await vault.remove(request, request.body);
    return vaultAnswer(values, version);
  };
  const decrypt = async (request: Call & { body: BodyOf<Decrypt>; headers: HeadersOf<Decrypt> }) => {
    const { values, version } = await vault.decrypt(asOf(request), request.body);
    return vaultAnswer(values, version);
  };
  const integrity = async (request: Call & { body: BodyOf<Integrity> }) => {
    const { values } = await vault.integrity(request, request.body);
    return answer(values);
  };
  const upload = async (
    request: Call & {
      params: { identifier: string };
      body: BodyOf<Uploading>;
      headers: HeadersOf<Uploading>;
    },
  ) => {
    const { params, body, headers } = request;
    const version = await vault.upload(request, params.identifier, body, { skipLuhn: skipsLuhn(headers) });
    return vaultAnswer({}, version);
  };

  return {
    'GET /users/{fp_id}/vault': present,
    'PATCH /users/{fp_id}/vault': write,
    'DELETE /users/{fp_id}/vault': remove,
    'POST /users/{fp_id}/vault/validate': validate,
    'POST /users/{fp_id}/vault/decrypt': decrypt,
    'POST /users/{fp_id}/vault/integrity': integrity,
    'POST /users/{fp_id}/vault/{identifier}/upload': upload,
    'GET /businesses/{fp_bid}/vault': present,
    'PATCH /businesses/{fp_bid}/vault': write,
    'DELETE /businesses/{fp_bid}/vault': remove,
    'POST /businesses/{fp_bid}/vault/validate': validate,
    'POST /businesses/{fp_bid}/vault/decrypt': decrypt,
    'POST /businesses/{fp_bid}/vault/integrity': integrity,
    'POST /businesses/{fp_bid}/vault/{identifier}/upload': upload,
  };
}

/** The call with the version from its header. */
function asOf({
  entity,
  caller,
  requestId,
  operator,
  held,
  headers,
}: Call & { headers: HeadersOf<Decrypt> }): VaultCall {
  return { entity, caller, requestId, operator, held, version: headers['x-fp-vault-version'] };
}
