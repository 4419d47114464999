import type { EndpointKey } from '../../../contract/registry.ts';
import type { Held } from '../../../kernel/byte-budget.ts';
import type { Caller } from '../../api-keys/service/index.ts';
import { answer, answered, type Handlers } from '../../handlers.ts';
import type { ProxyCall, VaultProxy } from './operations.ts';

export { createVaultProxy, type VaultProxy } from './operations.ts';
export type { Configurations, StoredRequest } from './stored-request.ts';
export { describeCertificate, requireSendable } from './stored-request.ts';

type ProxyKeys = Extract<EndpointKey, `POST /vault_proxy/${string}`>;

export function vaultProxyHandlers(proxy: VaultProxy): Handlers<ProxyKeys> {
  return {
    'POST /vault_proxy/jit': async (request) => await proxy.forward(callOf(request)),
    'POST /vault_proxy/{proxy_id}': async (request) =>
      await proxy.forward({ ...callOf(request), configuration: request.params.proxy_id }),
    'POST /vault_proxy/reflect': async (request) => {
      const { contentType, body } = await proxy.reflect(callOf(request));
      return answer(body, contentType === undefined ? undefined : { 'content-type': contentType });
    },
    'POST /vault_proxy/render': (request) => answered(proxy.render(callOf(request))),
  };
}

function callOf(request: {
  caller: Caller;
  requestId: string;
  operator: string | null;
  rawHeaders: readonly string[];
  clientGone: () => AbortSignal;
  held: Held;
  body: Uint8Array | undefined;
}): ProxyCall {
  const { caller, requestId, operator, rawHeaders, clientGone, held, body = new Uint8Array() } = request;
  return {
    caller,
    requestId,
    operator,
    rawHeaders,
    held,
    clientGone: clientGone(),
    body: Buffer.from(body.buffer, body.byteOffset, body.length),
  };
}
