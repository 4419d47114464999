/** A proxy call: a proxy, a target that records what it receives, and a user whose data the tokens name. */
import { aUser } from '../../support/builders.ts';
import { startProxy, type ProxyParts } from '../../support/proxy-calls.ts';
import { startTarget, type Target } from '../../support/targets.ts';

/** The calls go to the target, with the user in x-fp-id, unless their parts name others. */
export async function aCall(data?: Record<string, unknown>) {
  return await aCallTo<Target>(await startTarget(), data);
}

export async function aCallTo<To extends AsyncDisposable & { readonly url: string }>(
  target: To,
  data: Record<string, unknown> = aUser(),
) {
  const proxy = await startProxy();
  const id = await proxy.service.user(data);
  const own = { target: target.url, id };
  return {
    ...proxy,
    target,
    id,
    jit: (parts: ProxyParts) => proxy.jit({ ...own, ...parts }),
    refusedJit: (parts: ProxyParts) => proxy.refusedJit({ ...own, ...parts }),
    reflect: (parts: ProxyParts) => proxy.reflect({ id, ...parts }),
    refusedReflect: (parts: ProxyParts) => proxy.refusedReflect({ id, ...parts }),
    render: (parts: ProxyParts) => proxy.render({ ...own, ...parts }),
    refusedRender: (parts: ProxyParts) => proxy.refusedRender({ ...own, ...parts }),
    async [Symbol.asyncDispose]() {
      await target[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
    },
  };
}
