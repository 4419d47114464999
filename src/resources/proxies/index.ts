import type { EndpointKey } from '../../contract/registry.ts';
import { answer, type Handlers } from '../handlers.ts';
import type { Proxies } from './proxies.ts';

export { createProxies, type Proxies } from './proxies.ts';
export { copyConfigurations } from './repository.ts';

type ProxyKeys = Extract<EndpointKey, `${string} /_kyclone/proxies${string}`>;

export function proxyHandlers(proxies: Proxies): Handlers<ProxyKeys> {
  return {
    'GET /_kyclone/proxies': ({ query }) => answer(proxies.list(query)),
    'POST /_kyclone/proxies': async ({ query, body }) => answer(await proxies.create(query, body)),
    'GET /_kyclone/proxies/{id}': ({ params, query }) => answer(proxies.get(params.id, query)),
    'PATCH /_kyclone/proxies/{id}': async ({ params, query, body }) =>
      answer(await proxies.change(params.id, query, body)),
    'DELETE /_kyclone/proxies/{id}': async ({ params, query }) => {
      await proxies.remove(params.id, query);
      return answer({});
    },
  };
}
