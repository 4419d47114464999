/** A stored proxy configuration, a target for it, and calls with it. */
import type { RequestOf } from '../../../src/contract/registry.ts';
import type { ProxyParts } from '../../support/proxy-calls.ts';
import type { TestService } from '../../support/service.ts';
import { startTarget, type TargetOptions } from '../../support/targets.ts';
import { aCallTo } from '../vault-proxy/a-call.ts';

export const SECRET = 'Bearer canary-4711';

export type NewConfiguration = RequestOf<'POST /_kyclone/proxies'>['body'];
type Query = Partial<RequestOf<'POST /_kyclone/proxies'>['query']>;

export const store = async (service: TestService, body: NewConfiguration, query: Query = {}) =>
  (await service.call('POST /_kyclone/proxies', { query, body })).body;

export const read = async (service: TestService, id: string, query: Query = {}) =>
  (await service.call('GET /_kyclone/proxies/{id}', { params: { id }, query })).body;

/** Makes a user, a target, and a stored configuration for the target. */
export async function aConfigured(body: Partial<NewConfiguration> = {}, options?: TargetOptions) {
  const proxy = await aCallTo(await startTarget(options));
  const { id: user, target } = proxy;
  const { id } = await store(proxy.service, { url: target.url, ...body });
  const own = { id: user, body: 'To {{ id.city }}' };
  return {
    ...proxy,
    user,
    id,
    /** Calls the configuration, with a token of the user in the body unless another body is given. */
    call: (parts: ProxyParts = {}) => proxy.stored(id, { ...own, ...parts }),
    refusedCall: (parts: ProxyParts = {}) => proxy.refusedStored(id, { ...own, ...parts }),
  };
}
