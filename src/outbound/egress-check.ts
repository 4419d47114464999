/**
 * Checks a URL before anything is sent: its scheme, and every address of its host. This is the only place that resolves
 * the host. The sender connects to the addresses returned here, so that the name can't change its meaning in between.
 * Other spellings of an address (decimal, octal, hexadecimal, full-width) need no check, since the URL parser
 * normalises them.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { startStopwatch } from '../kernel/real-time.ts';
import { canonicalAddress, classOf, mayBeCalled } from './address-policy.ts';
import { beforeDeadline, timedOut } from './deadline.ts';
import { inWords, withNotes } from './failures.ts';
import {
  type Destination,
  type EgressPolicy,
  type OutboundContext,
  OutboundFailure,
  type Resolve,
} from './outbound.ts';
import { bareHost, portOf } from './tls-handshake.ts';

export interface EgressCheckOptions {
  readonly policy: EgressPolicy;
  readonly signal: AbortSignal;
  readonly self: OutboundContext['self'];
  readonly resolve?: Resolve | undefined;
}

/** Throws OutboundFailure `refused`, `unreachable` or `timeout`. */
export async function checkEgress(url: URL, options: EgressCheckOptions): Promise<Destination> {
  const elapsed = startStopwatch();
  try {
    return await admitted(url, options);
  } catch (error) {
    throw withNotes(error, { msTotal: elapsed() });
  }
}

async function admitted(
  url: URL,
  { policy, signal, self, resolve = systemResolve }: EgressCheckOptions,
): Promise<Destination> {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new OutboundFailure('refused', 'Only http and https may be called');
  }
  const host = bareHost(url);
  if (host === '') throw new OutboundFailure('refused', 'The URL names no host');
  const isName = isIP(host) === 0;
  const addresses = isName ? await addressesOf(host, resolve, signal) : [host];
  for (const address of addresses) {
    judge(address, { url, policy, isName });
    if (isOwnAddress(address, portOf(url), self)) {
      throw new OutboundFailure('refused', `${url.host} is the emulator itself, which is never called`);
    }
  }
  // A copy: the caller can't change the checked URL.
  return { url: new URL(url), addresses };
}

function judge(
  address: string,
  { url, policy, isName }: { url: URL; policy: EgressPolicy; isName: boolean },
): void {
  const found = classOf(address);
  if (mayBeCalled(found, url.protocol, policy)) return;
  const isBarredByScheme = url.protocol === 'http:' && mayBeCalled(found, 'https:', policy);
  throw new OutboundFailure(
    'refused',
    `${url.hostname} ${isName ? 'resolves to' : 'is'} ${found.words}, which egress policy ${policy} refuses` +
      (isBarredByScheme ? ' over http' : ''),
  );
}

async function addressesOf(host: string, resolve: Resolve, signal: AbortSignal): Promise<readonly string[]> {
  if (signal.aborted) throw timedOut(`${host} was not resolved`);
  const addresses = await beforeDeadline(lookUp(host, resolve), {
    signal,
    what: `${host} was not resolved`,
  });
  if (addresses.length === 0) throw new OutboundFailure('unreachable', `${host} resolves to no address`);
  return addresses;
}

async function lookUp(host: string, resolve: Resolve): Promise<readonly string[]> {
  try {
    return [...new Set(await resolve(host))];
  } catch (cause) {
    throw new OutboundFailure('unreachable', `${host} can't be resolved: ${inWords(cause)}`, { cause });
  }
}

async function systemResolve(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}

// The emulator never calls itself: no policy permits its own address and port as a target (contract §3.3).

/**
 * Whether a connection to `address` and `port` would reach the emulator. If it listens on all addresses or on a name,
 * any address of this machine reaches it. An unspecified address connects to this machine, too.
 */
function isOwnAddress(address: string, port: number, { host, port: own }: OutboundContext['self']): boolean {
  if (port !== own) return false;
  const { kind } = classOf(address);
  if (kind === 'loopback' || kind === 'unspecified') return true;
  if (host === undefined) return false;
  const bare = host.replace(/^\[|\]$/g, '');
  const canonical = canonicalAddress(address);
  if (isIP(bare) !== 0 && classOf(bare).kind !== 'unspecified') return canonical === canonicalAddress(bare);
  return machineAddresses().some((each) => canonicalAddress(each) === canonical);
}

function machineAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).map(({ address }) => address),
  );
}
