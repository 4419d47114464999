/** The way out with its doors named: who resolves, where the emulator listens, what is sent. */
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
/** Where the emulator listens in these tests; no server of theirs is there. */
export const OWN_PORT = 1;
const A_MEBIBYTE = 1024 * 1024;

export function anOutbound(context: Partial<OutboundContext> = {}): Outbound {
  return createOutbound({
    self: { host: undefined, port: OWN_PORT },
    realNow: Date.now,
    ...context,
  });
}

/** Returns the same addresses for every name. */
export function resolvingTo(...addresses: readonly string[]): Resolve {
  return () => Promise.resolve(addresses);
}

export interface Call extends Partial<OutgoingRequest> {
  readonly url: string;
  readonly policy?: EgressPolicy;
  readonly limits?: Partial<OutboundLimits>;
  readonly context?: Partial<OutboundContext>;
  /** Unless given, one of its own with this context. */
  readonly outbound?: Outbound;
}

/** Admits and sends as the proxy does: one deadline for both. */
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

/** What a promise failed with. */
export async function failureOf(promise: Promise<unknown>): Promise<OutboundFailure> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof OutboundFailure) return error;
    throw error;
  }
  throw new Error('it did not fail');
}
