import type { BodyOf, HeadersOf } from '../../contract/endpoint.ts';
import type { EndpointKey, Registry } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/clock.ts';
import { givenReason } from '../../kernel/reason.ts';
import { parseIdentifierReference } from '../../vault/identifiers/index.ts';
import type { Caller } from '../api-keys/index.ts';
import { changesOf, skipsLuhn, type EntityRow } from '../entities/index.ts';
import { answer, fileAnswer, vaultAnswer, type Handlers } from '../handlers.ts';
import type { VaultService } from '../vault/index.ts';
import type { ClientTokens } from './service.ts';

export { requireAbility } from './caller.ts';
export { revokeToken } from './repository.ts';
export { createClientTokens, type ClientTokens } from './service.ts';

type TokenKeys = Extract<
  EndpointKey,
  | `POST /${string}/client_token`
  | 'GET /users/client_token'
  | `${string} /users/vault${'' | `/${string}`}`
  | `DELETE /_kyclone/tokens/{id}`
>;
type Mint = Registry['POST /users/{fp_id}/client_token'];
type Decrypt = Registry['POST /users/vault/decrypt'];

/** Tokens, and the vault endpoints for them: the same service as with a key, limited to the token's rights. */
export function clientTokenHandlers(context: {
  tokens: ClientTokens;
  vault: VaultService;
}): Handlers<TokenKeys> {
  const { tokens, vault } = context;
  const mint = async (request: { caller: Caller; entity: EntityRow; body: BodyOf<Mint> }) =>
    answer(await tokens.mint(request.caller, request.entity, request.body));

  return {
    'POST /users/{fp_id}/client_token': mint,
    'POST /businesses/{fp_bid}/client_token': mint,
    'GET /users/client_token': ({ caller: { fp_id, scope, fields, expiresAt } }) =>
      answer({ fp_id, scope, fields: [...fields], expires_at: timestamp(expiresAt) }),
    'DELETE /_kyclone/tokens/{id}': async ({ params }) => {
      await tokens.revoke(params.id);
      return answer({});
    },

    'PATCH /users/vault': async (request) => {
      const options = { skipLuhn: skipsLuhn(request.headers) };
      return vaultAnswer({}, await vault.write(request, changesOf(request.body), options));
    },
    'POST /users/vault/validate': (request) => {
      vault.validate(request, changesOf(request.body), { skipLuhn: skipsLuhn(request.headers) });
      return answer({});
    },
    'POST /users/vault/decrypt': async ({ entity, caller, requestId, operator, held, headers, body }) => {
      const { values, version } = await vault.decrypt(
        { entity, caller, requestId, operator, held, version: versionOf(headers) },
        {
          fields: body.fields ?? [...caller.fields],
          reason: givenReason(body.reason) ?? givenReason(caller.decryptReason),
          transforms: body.transforms,
        },
      );
      return vaultAnswer(values, version);
    },
    'GET /users/vault/decrypt/{token}': async ({ entity, caller, requestId, operator, held, query }) => {
      const [field = ''] = caller.fields;
      const reason = givenReason(caller.decryptReason) ?? givenReason(query.reason);
      const download = await vault.download({ entity, caller, requestId, operator, held }, field, reason);
      return fileAnswer(parseIdentifierReference(field).identifier, download);
    },
    'POST /users/vault/{identifier}/upload': async (request) => {
      const { params, body, headers } = request;
      const options = { skipLuhn: skipsLuhn(headers) };
      return vaultAnswer({}, await vault.upload(request, params.identifier, body, options));
    },
  };
}

function versionOf(headers: HeadersOf<Decrypt>): string | undefined {
  return headers['x-fp-vault-version'];
}
