import { expect, it } from 'vitest';
import { canonicalAddress, classOf, mayBeCalled } from '../../src/outbound/egress-check.ts';
import type { EgressPolicy } from '../../src/outbound/outbound.ts';
import { words } from '../support/words.ts';

/**
 * The classes of IANA's registries of special-purpose addresses. The list has the edges and the middle of each range.
 */
const ADDRESSES: Record<string, readonly string[]> = {
  'a public address': words`
    1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0 192.167.255.255
    192.169.0.0 223.255.255.255 2606:4700::1111 2a00:1450:4001::1 2400::1 2001:4860:4860::8888 ::ffff:1.1.1.1
    ::ffff:101:101
  `,
  'a loopback address': words`
    127.0.0.1 127.0.0.0 127.255.255.255 127.1.2.3 ::1 ::1%lo ::ffff:127.0.0.1 ::ffff:7f00:1
    0:0:0:0:0:ffff:7fff:ffff
  `,
  'an unspecified address': words`0.0.0.0 0.1.2.3 0.255.255.255 :: 0:0:0:0:0:0:0:0 ::ffff:0.0.0.0`,
  'a private address': words`
    10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.1 ::ffff:10.0.0.1 ::ffff:c0a8:1
  `,
  'a carrier-grade NAT address': words`100.64.0.0 100.127.255.255 100.100.100.200`,
  'a link-local address': words`
    169.254.0.0 169.254.169.254 169.254.255.255 ::ffff:169.254.169.254 fe80:: fe80::1%eth0 febf:ffff::1
    fe80::a9fe:a9fe%2
  `,
  'a unique-local address': words`fc00:: fd00:ec2::254 fdff:ffff::1`,
  'a site-local address': words`fec0::1 feff::1`,
  'a multicast address': words`224.0.0.1 239.255.255.255 ff00:: ff02::1 ff0e::1`,
  'the broadcast address': words`255.255.255.255 ::ffff:255.255.255.255`,
  'a reserved address': words`
    192.0.0.1 192.0.0.170 192.0.2.1 198.51.100.1 203.0.113.1 240.0.0.1 198.18.0.0 198.19.255.255 192.88.99.1
    2001:db8::1 3fff::1 2001:2::1
  `,
  'a NAT64 address': words`64:ff9b::7f00:1 64:ff9b::8.8.8.8 64:ff9b:1::a00:1 ::ffff:0:7f00:1`,
  'a 6to4 address': words`2002:7f00:1:: 2002:a9fe:a9fe::1`,
  'a Teredo address': words`2001::1 2001:0:7f00:1::`,
  'an IPv4-compatible address': words`::127.0.0.1 ::7f00:1 ::8.8.8.8 ::2 ::ffff`,
  'a special-purpose address': words`
    100::1 2001:10::1 2001:20::1 2620:4f:8000::1 5f00::1 192.175.48.1 192.31.196.1 192.52.193.1 168.63.129.16
    ::ffff:168.63.129.16 4000::1 1::1 8000:: e000::1 fe00::1
  `,
  'no IP address': [
    '',
    '1.1.1.1 ',
    ...words`
    localhost 127.1 0x7f.0.0.1 0177.0.0.1 2130706433 127.0.0.1. [::1] 1.1.1.1%eth0 1.1.1.1/8 1.1.1.256 :::
    fe80::1%
  `,
  ],
};
const CLASSES = Object.entries(ADDRESSES).flatMap(([what, addresses]) =>
  addresses.map((address) => [address, what] as const),
);

const KINDS = new Map(['public', 'loopback', 'unspecified'].map((kind) => [`${kind} address`, kind]));

it.each(CLASSES)('classOf: %s is %s', (address, words) => {
  const kind = KINDS.get(words.replace(/^an? /, '')) ?? 'other';
  expect(classOf(address)).toEqual({ words, kind });
});

const POLICIES: readonly EgressPolicy[] = ['strict', 'local', 'open'];
/** The egress policies that admit an address (contract §3.3). */
const ADMITTED: readonly (readonly [address: string, protocol: string, by: readonly EgressPolicy[]])[] = [
  ['1.1.1.1', 'https:', ['strict', 'local', 'open']],
  ['2606:4700::1111', 'https:', ['strict', 'local', 'open']],
  ['1.1.1.1', 'http:', ['open']],
  ['127.0.0.1', 'https:', ['local', 'open']],
  ['127.0.0.1', 'http:', ['local', 'open']],
  ['::1', 'http:', ['local', 'open']],
  ['10.0.0.1', 'https:', ['open']],
  ['169.254.169.254', 'https:', ['open']],
  ['0.0.0.0', 'http:', ['open']],
  ['::', 'https:', ['open']],
  ['64:ff9b::7f00:1', 'https:', ['open']],
  ['1.1.1.1', 'ftp:', []],
  ['127.0.0.1', 'file:', []],
];

it.each(ADMITTED)('mayBeCalled: %s over %s is admitted by %j only', (address, protocol, by) => {
  expect(POLICIES.filter((policy) => mayBeCalled(classOf(address), protocol, policy))).toEqual(by);
});

it.each([
  ['::ffff:127.0.0.1', '127.0.0.1'],
  ['::ffff:7f00:1', '127.0.0.1'],
  ['::127.0.0.1', '127.0.0.1'],
  ['::1', '::1'],
  ['0:0:0:0:0:0:0:1', '::1'],
  ['::', '::'],
  ['FE80::0001%eth0', 'fe80::1'],
  ['10.0.0.1', '10.0.0.1'],
  ['host', undefined],
])('canonicalAddress: %s is %s', (address, canonical) => {
  expect(canonicalAddress(address)).toBe(canonical);
});
