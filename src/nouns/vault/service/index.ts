import type { EndpointKey } from '../../../contract/registry.ts';
import { listParameter } from '../../cursor.ts';
import { changesOf, skipsLuhn } from '../../entities/service/index.ts';
import { answer, vaultAnswer, type Handlers } from '../../handlers.ts';
import type { VaultCall, VaultService } from './operations.ts';

export { readFiles, revealInTurns, transformed } from './files.ts';
export { createVaultService, type VaultActor, type VaultService } from './operations.ts';

type VaultKeys = Extract<
  EndpointKey,
  `${string} /${'users/{fp_id}' | 'businesses/{fp_bid}'}/vault${'' | '/validate' | '/decrypt' | '/integrity' | '/{identifier}/upload'}`
>;
/** A request about the vault of a user or a business. */
type Request<Key extends VaultKeys> = Omit<Parameters<Handlers<VaultKeys>[Key]>[0], 'params'>;

/** For users and businesses: the entity of the path determines the allowed identifiers. */
export function vaultHandlers(vault: VaultService): Handlers<VaultKeys> {
  const present = async (request: Request<'GET /users/{fp_id}/vault'>) => {
    const { fields } = request.query;
    const names = fields === undefined ? undefined : listParameter('fields', fields);
    const { values, version } = await vault.present(asOf(request), names);
    return vaultAnswer(values, version);
  };
  const write = async (request: Request<'PATCH /users/{fp_id}/vault'>) => {
    const options = { skipLuhn: skipsLuhn(request.headers) };
    return vaultAnswer({}, await vault.write(request, changesOf(request.body), options));
  };
  const validate = (request: Request<'POST /users/{fp_id}/vault/validate'>) => {
    vault.validate(request, changesOf(request.body), { skipLuhn: skipsLuhn(request.headers) });
    return answer({});
  };
  const remove = async (request: Request<'DELETE /users/{fp_id}/vault'>) => {
    const { values, version } = await vault.remove(request, request.body);
    return vaultAnswer(values, version);
  };
  const decrypt = async (request: Request<'POST /users/{fp_id}/vault/decrypt'>) => {
    const { values, version } = await vault.decrypt(asOf(request), request.body);
    return vaultAnswer(values, version);
  };
  const integrity = async (request: Request<'POST /users/{fp_id}/vault/integrity'>) => {
    const { values } = await vault.integrity(request, request.body);
    return answer(values);
  };
  const upload = async (
    request: Request<'POST /users/{fp_id}/vault/{identifier}/upload'> & { params: { identifier: string } },
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
  headers,
  ...call
}: Request<'GET /users/{fp_id}/vault' | 'POST /users/{fp_id}/vault/decrypt'>): VaultCall {
  return { ...call, version: headers['x-fp-vault-version'] };
}
