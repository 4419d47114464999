/**
 * Checks a URL before anything is sent: its scheme, and every address of its host. This is the only place that resolves
 * the host. The sender connects to the addresses returned here, so that the name can't change its meaning in between.
 * Other spellings of an address (decimal, octal, hexadecimal, full-width) need no check, since the URL parser
 * normalises them.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { startStopwatch } from '../kernel/time/real-time.ts';
import { beforeDeadline, timedOut, inWords, withNotes } from './failures.ts';
import {
  type Destination,
  type EgressPolicy,
  type OutboundContext,
  OutboundFailure,
  type Resolve,
} from './outbound.ts';
import { bareHost, portOf } from './tls.ts';

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
  const what = `${host} was not resolved`;
  if (signal.aborted) throw timedOut(what);
  // A resolver may also throw at once.
  const found = (async () => await resolve(host))().catch((cause: unknown) => {
    throw new OutboundFailure('unreachable', `${host} can't be resolved: ${inWords(cause)}`, { cause });
  });
  const addresses = [...new Set(await beforeDeadline(found, { signal, what }))];
  if (addresses.length === 0) throw new OutboundFailure('unreachable', `${host} resolves to no address`);
  return addresses;
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

// Decides which addresses may be connected to (contract §3.3, egress). An address counts as public only when it is
// known to be public unicast. A range that embeds IPv4 addresses, such as NAT64 or 6to4, is never public, since the
// embedded address may be private. An IPv4-mapped address is classified as its IPv4 address.

export interface AddressClass {
  readonly kind: 'public' | 'loopback' | 'unspecified' | 'other';
  /** Such as `a link-local address`. */
  readonly words: string;
}

type IpAddress = ReturnType<typeof ipaddr.parse>;

/** Contains all addresses allocated as public unicast (RFC 4291 §2.4). */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** ::a.b.c.d, deprecated by RFC 4291 §2.5.5.1. */
const IPV4_COMPATIBLE = ipaddr.IPv6.parseCIDR('::/96');
/** In a public range, but served by the hosting platform: a metadata service like 169.254.169.254. */
const PLATFORM_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16']);

const WORDS: Readonly<Record<string, string>> = {
  loopback: 'a loopback address',
  unspecified: 'an unspecified address',
  broadcast: 'the broadcast address',
  multicast: 'a multicast address',
  linkLocal: 'a link-local address',
  carrierGradeNat: 'a carrier-grade NAT address',
  private: 'a private address',
  uniqueLocal: 'a unique-local address',
  deprecatedSiteLocal: 'a site-local address',
  reserved: 'a reserved address',
  benchmarking: 'a reserved address',
  rfc6145: 'a NAT64 address',
  rfc6052: 'a NAT64 address',
  '6to4': 'a 6to4 address',
  teredo: 'a Teredo address',
};
const SPECIAL_PURPOSE = 'a special-purpose address';
const NO_ADDRESS: AddressClass = { kind: 'other', words: 'no IP address' };

/** `address` in the form of a resolver or a socket, with or without a zone. */
export function classOf(address: string): AddressClass {
  const parsed = parseAddress(address);
  if (parsed === undefined) return NO_ADDRESS;
  if (PLATFORM_ADDRESSES.has(parsed.toString())) return { kind: 'other', words: SPECIAL_PURPOSE };
  const range: string = parsed.range();
  if (range === 'loopback' || range === 'unspecified') return { kind: range, words: WORDS[range] ?? '' };
  if (range !== 'unicast') return { kind: 'other', words: WORDS[range] ?? SPECIAL_PURPOSE };
  if (parsed.kind() === 'ipv4') return { kind: 'public', words: 'a public address' };
  const v6 = parsed as ipaddr.IPv6;
  if (v6.match(IPV4_COMPATIBLE)) return { kind: 'other', words: 'an IPv4-compatible address' };
  if (!v6.match(GLOBAL_UNICAST_V6)) return { kind: 'other', words: SPECIAL_PURPOSE };
  return { kind: 'public', words: 'a public address' };
}

/** `protocol` in the form of a URL, `https:`. */
export function mayBeCalled({ kind }: AddressClass, protocol: string, policy: EgressPolicy): boolean {
  if (protocol !== 'https:' && protocol !== 'http:') return false;
  switch (policy) {
    case 'open':
      return true;
    case 'local':
      return kind === 'loopback' || (kind === 'public' && protocol === 'https:');
    case 'strict':
      return kind === 'public' && protocol === 'https:';
  }
}

/** A canonical spelling: without a zone, and an IPv4-mapped or IPv4-compatible address as its IPv4 address. */
export function canonicalAddress(address: string): string | undefined {
  const parsed = parseAddress(address);
  if (parsed?.kind() !== 'ipv6') return parsed?.toString();
  const v6 = parsed as ipaddr.IPv6;
  const isCompatible = v6.match(IPV4_COMPATIBLE) && v6.range() === 'unicast';
  return isCompatible ? ipaddr.fromByteArray(v6.toByteArray().slice(12)).toString() : v6.toString();
}

/**
 * Stricter than the library, which also reads octal, hexadecimal and shortened IPv4 addresses, and takes `::a.b.c.d`
 * for an IPv4-mapped address. An IPv6 address is first converted to its spelling in a URL, which has no dots.
 */
function parseAddress(address: string): IpAddress | undefined {
  const [bare = ''] = address.split('%');
  switch (isIP(address)) {
    case 4:
      return ipaddr.IPv4.parse(address);
    case 6:
      return ipaddr.process(new URL(`http://[${bare}]`).hostname.slice(1, -1));
    default:
      return undefined;
  }
}
