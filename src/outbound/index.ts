/** Outgoing requests (see outbound.ts). Dependencies are loaded at the first call, so that the daemon starts faster. */
import type { Outbound, OutboundContext } from './outbound.ts';
import type { Send } from './sending.ts';

export * from './outbound.ts';
export { startStopwatch } from '../kernel/time/real-time.ts';

export function createOutbound(context: OutboundContext): Outbound {
  let sender: Promise<Send> | undefined;
  return {
    async admit(url, policy, signal) {
      const { checkEgress: admit } = await import('./egress-check.ts');
      return await admit(url, { policy, signal, self: context.self, resolve: context.resolve });
    },
    async send(destination, request, limits) {
      sender ??= import('./sending.ts').then(({ createSender }) => createSender(context));
      const send = await sender;
      return await send(destination, request, limits);
    },
  };
}
