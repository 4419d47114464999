import type { BodyOf, HeadersOf, QueryOf } from '../../contract/endpoint.ts';
import type { Key, Registry } from '../../contract/registry.ts';
import { listParameter } from '../../kernel/list-parameter.ts';
import type { Caller } from '../api-keys/index.ts';
import { changesOf, skipsLuhn, type EntityRow } from '../entities/index.ts';
import { answer, vaultAnswer, type Handlers } from '../handlers.ts';
import type { VaultService } from './service.ts';

type VaultKeys = Extract<
  Key,
  `${string} /${'users/{fp_id}' | 'businesses/{fp_bid}'}/vault${'' | '/validate' | '/decrypt' | '/integrity'}`
>;
type Presence = Registry['GET /users/{fp_id}/vault'];
type Write = Registry['PATCH /users/{fp_id}/vault'];
type Delete = Registry['DELETE /users/{fp_id}/vault'];
type Decrypt = Registry['POST /users/{fp_id}/vault/decrypt'];
type Integrity = Registry['POST /users/{fp_id}/vault/integrity'];

interface Call {
  readonly entity: EntityRow;
  readonly caller: Caller;
  readonly requestId: string;
}

/** Users and businesses alike: the entity of the path decides which identifiers are allowed. */
export function vaultHandlers(vault: VaultService): Handlers<VaultKeys> {
  const present = ({
    query,
    headers,
    ...call
  }: Call & { query: QueryOf<Presence>; headers: HeadersOf<Presence> }) => {
    const fields = query.fields === undefined ? undefined : listParameter('fields', query.fields);
    const { values, version } = vault.present({ ...call, version: headers['x-fp-vault-version'] }, fields);
    return vaultAnswer(values, version);
  };
  const write = async ({
    body,
    headers,
    ...call
  }: Call & { body: BodyOf<Write>; headers: HeadersOf<Write> }) =>
    vaultAnswer({}, await vault.write(call, changesOf(body), { skipLuhn: skipsLuhn(headers) }));
  const validate = ({
    body,
    headers,
    ...call
  }: Call & { body: BodyOf<Write>; headers: HeadersOf<Write> }) => {
    vault.validate(call, changesOf(body), { skipLuhn: skipsLuhn(headers) });
    return answer({});
  };
  const remove = async ({ body, ...call }: Call & { body: BodyOf<Delete> }) => {
    const { values, version } = await vault.remove(call, body);
    return vaultAnswer(values, version);
  };
  const decrypt = async ({
    body,
    headers,
    ...call
  }: Call & { body: BodyOf<Decrypt>; headers: HeadersOf<Decrypt> }) => {
    const { values, version } = await vault.decrypt(
      { ...call, version: headers['x-fp-vault-version'] },
      body,
    );
    return vaultAnswer(values, version);
  };
  const integrity = async ({ body, ...call }: Call & { body: BodyOf<Integrity> }) => {
    const { values } = await vault.integrity(call, body);
    return answer(values);
  };

  return {
    'GET /users/{fp_id}/vault': present,
    'PATCH /users/{fp_id}/vault': write,
    'DELETE /users/{fp_id}/vault': remove,
    'POST /users/{fp_id}/vault/validate': validate,
    'POST /users/{fp_id}/vault/decrypt': decrypt,
    'POST /users/{fp_id}/vault/integrity': integrity,
    'GET /businesses/{fp_bid}/vault': present,
    'PATCH /businesses/{fp_bid}/vault': write,
    'DELETE /businesses/{fp_bid}/vault': remove,
    'POST /businesses/{fp_bid}/vault/validate': validate,
    'POST /businesses/{fp_bid}/vault/decrypt': decrypt,
    'POST /businesses/{fp_bid}/vault/integrity': integrity,
  };
}
