/** The outbound module with replaceable parts for tests: the resolver, the emulator's own address, and the requests. */
import { createOutbound, OutboundFailure } from '../../src/outbound/index.ts';
import type {
  EgressPolicy,
  Outbound,
  OutboundContext,
  OutboundLimits,
  OutgoingRequest,
  Resolve,
  TargetAnswer,
  TlsChoices,
} from '../../src/outbound/outbound.ts';

export const NO_TLS: TlsChoices = { pins: [], extraRoots: [] };
/** The port at which the emulator listens in these tests. No target of a test has this port. */
export const OWN_PORT = 1;
const A_MEBIBYTE = 1024 * 1024;

export function anOutbound(context: Partial<OutboundContext> = {}): Outbound {
  return createOutbound({ self: { host: undefined, port: OWN_PORT }, realNow: Date.now, ...context });
}

/** Returns a resolver with the same addresses for every name. */
export function resolvingTo(...addresses: readonly string[]): Resolve {
  return () => Promise.resolve(addresses);
}

export interface Call extends Partial<OutgoingRequest> {
  readonly url: string;
  readonly policy?: EgressPolicy;
  readonly limits?: Partial<OutboundLimits>;
  readonly context?: Partial<OutboundContext>;
  /** The outbound to call; by default a new one with this context. */
  readonly outbound?: Outbound;
}

/** Admits a URL and sends a request to it, as the proxy does. Both steps share one deadline. */
export async function call({
  url,
  policy = 'local',
  limits,
  context,
  outbound = anOutbound(context),
  ...request
}: Call): Promise<TargetAnswer> {
  const signal = limits?.signal ?? new AbortController().signal;
  return await outbound.send(
    await outbound.admit(new URL(url), policy, signal),
    { method: 'POST', headers: {}, body: undefined, tls: NO_TLS, ...request },
    { maxBodyBytes: A_MEBIBYTE, ...limits, signal },
  );
}

/** Returns the failure of a promise. */
export async function failureOf(promise: Promise<unknown>): Promise<OutboundFailure> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof OutboundFailure) return error;
    throw error;
  }
  throw new Error('it did not fail');
}
