/**
 * Decides which addresses may be connected to (contract §3.3, egress). An address counts as public only when it is
 * known to be public unicast. A range that embeds IPv4 addresses, such as NAT64 or 6to4, is never public, since the
 * embedded address may be private. An IPv4-mapped address is classified as its IPv4 address.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { EgressPolicy } from './outbound.ts';

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
