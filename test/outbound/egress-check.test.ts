import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { EgressPolicy, OutboundContext } from '../../src/outbound/outbound.ts';
import { anOutbound, failureOf, OWN_PORT, resolvingTo } from './an-outbound.ts';
import { words } from '../support/words.ts';

const NEVER = new AbortController().signal;
const POLICIES: readonly EgressPolicy[] = ['strict', 'local', 'open'];

interface Trial {
  readonly policy?: EgressPolicy;
  readonly signal?: AbortSignal;
  readonly context?: Partial<OutboundContext>;
}

function admit(url: string, { policy = 'local', signal = NEVER, context = {} }: Trial = {}) {
  return anOutbound(context).admit(new URL(url), policy, signal);
}

/** Why a name is not admitted that resolves so. */
const refusedName = (resolve: OutboundContext['resolve'], signal?: AbortSignal) =>
  failureOf(admit('https://name.test/', { context: { resolve }, ...(signal && { signal }) }));

async function admittedBy(
  url: string,
  context: Partial<OutboundContext> = {},
): Promise<readonly EgressPolicy[]> {
  const outcomes = await Promise.allSettled(POLICIES.map((policy) => admit(url, { policy, context })));
  return POLICIES.filter((_, index) => outcomes[index]?.status === 'fulfilled');
}

type Spelling = readonly [host: string, address: string, by: readonly EgressPolicy[]];
const spelt = (hosts: readonly string[], address: string, by: readonly EgressPolicy[]) =>
  hosts.map((host): Spelling => [host, address, by]);
const LOOPBACK = words`
  127.0.0.1 2130706433 0x7f000001 0x7f.1 017700000001 0177.0.0.1 127.1 127.0.1 １２７.０.０.１ ①②⑦.0.0.1
  127。0。0。1 %31%32%37.0.0.1 127.0.0.1. 0x7F.0X0.0.1
`;
const LINK_LOCAL = words`
  169.254.169.254 2852039166 0xa9fea9fe 0xA9.0xFE.0xA9.0xFE 025177524776 0251.0376.0251.0376
  169.254.43518 169.16689662 １６９.２５４.１６９.２５４ 169。254。169。254 169.254.169.254.
`;
const MAPPED = words`[::ffff:169.254.169.254] [::ffff:a9fe:a9fe] [0:0:0:0:0:FFFF:A9FE:A9FE]`;

/** Hosts in various spellings, the address of each, and the policies that admit it over https. */
const SPELLINGS: readonly Spelling[] = [
  ...spelt(LOOPBACK, '127.0.0.1', ['local', 'open']),
  ...spelt(LINK_LOCAL, '169.254.169.254', ['open']),
  ...spelt(MAPPED, '::ffff:a9fe:a9fe', ['open']),
  ['[::169.254.169.254]', '::a9fe:a9fe', ['open']],
  ['[64:ff9b::169.254.169.254]', '64:ff9b::a9fe:a9fe', ['open']],
  ['[2002:a9fe:a9fe::]', '2002:a9fe:a9fe::', ['open']],
  ['[fd00:ec2::254]', 'fd00:ec2::254', ['open']],
  ['[fe80::1]', 'fe80::1', ['open']],
  ['[::1]', '::1', ['local', 'open']],
  ['[0:0:0:0:0:0:0:1]', '::1', ['local', 'open']],
  ['[::ffff:127.0.0.1]', '::ffff:7f00:1', ['local', 'open']],
  ['[::127.0.0.1]', '::7f00:1', ['open']],
  ['[::]', '::', ['open']],
  ['0', '0.0.0.0', ['open']],
  ['0x0', '0.0.0.0', ['open']],
  ['10.1', '10.0.0.1', ['open']],
  ['3232235521', '192.168.0.1', ['open']],
  ['1.1.1.1', '1.1.1.1', ['strict', 'local', 'open']],
  ['16843009', '1.1.1.1', ['strict', 'local', 'open']],
  ['[2606:4700::1111]', '2606:4700::1111', ['strict', 'local', 'open']],
  ['[::ffff:1.1.1.1]', '::ffff:101:101', ['strict', 'local', 'open']],
];

describe('addresses in a URL', () => {
  it.each(SPELLINGS)('admit: https://%s is %s, for %j only', async (host, address, by) => {
    expect(await admittedBy(`https://${host}/`)).toEqual(by);
    expect(await admit(`https://${host}/`, { policy: 'open' })).toMatchObject({ addresses: [address] });
  });

  it.each(SPELLINGS)(
    'admit: a name that resolves to %s (%s) is admitted by %j only',
    async (_, address, by) => {
      expect(await admittedBy('https://name.test/', { resolve: resolvingTo(address) })).toEqual(by);
    },
  );

  it('admit: an address is not looked up', async () => {
    const resolve = () => Promise.reject(new Error('it was looked up'));
    expect(await admit('https://[::1]:8443/', { context: { resolve } })).toMatchObject({
      addresses: ['::1'],
    });
    expect(await admit('https://2130706433/', { context: { resolve } })).toMatchObject({
      addresses: ['127.0.0.1'],
    });
  });

  it.each(['fe80::1%eth0', 'fe80::a9fe:a9fe%2'])(
    'admit: a name that resolves to %s is link-local',
    async (address) => {
      expect(await refusedName(resolvingTo(address))).toMatchObject({
        kind: 'refused',
        message: 'name.test resolves to a link-local address, which egress policy local refuses',
      });
    },
  );
});

describe('names in a URL', () => {
  it('admit: resolves a name once, and returns these addresses', async () => {
    const answers = [['1.1.1.1', '2606:4700::1111'], ['169.254.169.254']];
    const asked: string[] = [];
    const resolve = (host: string) => {
      asked.push(host);
      return Promise.resolve(answers[asked.length - 1] ?? []);
    };
    const destination = await admit('https://name.test/path?q', { context: { resolve } });
    expect(destination.addresses).toEqual(['1.1.1.1', '2606:4700::1111']);
    expect(destination.url.href).toBe('https://name.test/path?q');
    expect(asked).toEqual(['name.test']);
  });

  it.each([
    ['10.0.0.1', '1.1.1.1'],
    ['1.1.1.1', '2606:4700::1111', '::ffff:10.0.0.1'],
  ])(
    'admit: a name that resolves to a private address among others (%s, %s, %s) is refused',
    async (...addresses) => {
      const resolve = resolvingTo(...addresses.filter((address) => typeof address === 'string'));
      expect(await refusedName(resolve)).toMatchObject({
        kind: 'refused',
        message: 'name.test resolves to a private address, which egress policy local refuses',
      });
    },
  );

  it('admit: localhost means both loopback addresses, and its trailing dot changes nothing', async () => {
    const resolve = resolvingTo('::1', '127.0.0.1');
    expect(await admittedBy('http://localhost:8080/', { resolve })).toEqual(['local', 'open']);
    expect(await admittedBy('http://localhost.:8080/', { resolve })).toEqual(['local', 'open']);
  });

  it("admit: the system's resolver knows localhost", async () => {
    const { addresses } = await admit('http://localhost:8080/');
    expect(addresses).not.toEqual([]);
    expect(['127.0.0.1', '::1']).toEqual(expect.arrayContaining([...addresses]));
  });

  it('admit: a name that is named as an IP address by its resolver only in part is refused', async () => {
    expect(await refusedName(resolvingTo('127.1'))).toMatchObject({ kind: 'refused' });
  });

  it('admit: a name with no address is unreachable', async () => {
    expect(await refusedName(resolvingTo())).toMatchObject({
      kind: 'unreachable',
      message: 'name.test resolves to no address',
    });
  });

  it('admit: an unknown name is unreachable, with the code of the resolver', async () => {
    const resolve = () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }));
    expect(await refusedName(resolve)).toMatchObject({
      kind: 'unreachable',
      message: "name.test can't be resolved: the name is unknown (ENOTFOUND)",
    });
  });

  it('admit: the deadline ends an endless lookup', async () => {
    const controller = new AbortController();
    const resolve = () => {
      controller.abort();
      return new Promise<never>(() => undefined);
    };
    expect(await refusedName(resolve, controller.signal)).toMatchObject({
      kind: 'timeout',
      message: 'name.test was not resolved in time',
    });
  });

  it('admit: after the deadline nothing is looked up', async () => {
    let asked = 0;
    const resolve = () => Promise.resolve([`127.0.0.${++asked}`]);
    await refusedName(resolve, AbortSignal.abort());
    expect(asked).toBe(0);
  });

  it('admit: the URL that was judged is a copy', async () => {
    const url = new URL('https://1.1.1.1/');
    const destination = await anOutbound().admit(url, 'strict', NEVER);
    url.hostname = '10.0.0.1';
    expect(destination.url.href).toBe('https://1.1.1.1/');
  });
});

describe('schemes', () => {
  it.each(words`ftp://1.1.1.1/ file:///etc/hosts ws://127.0.0.1/ javascript:1 data:,a gopher://1.1.1.1/`)(
    'admit: %s is refused by every policy',
    async (url) => {
      expect(await admittedBy(url)).toEqual([]);
    },
  );

  it.each([
    ['local', 'http://1.1.1.1/', '1.1.1.1 is a public address, which egress policy local refuses over http'],
    ['strict', 'https://127.0.0.1/', '127.0.0.1 is a loopback address, which egress policy strict refuses'],
    ['strict', 'http://[::1]/', '[::1] is a loopback address, which egress policy strict refuses'],
    ['local', 'https://[fe80::1]/', '[fe80::1] is a link-local address, which egress policy local refuses'],
  ] as const)('admit: %s says why it refuses %s', async (policy, url, message) => {
    expect(await failureOf(admit(url, { policy }))).toMatchObject({ kind: 'refused', message });
  });
});

describe("the emulator's own address", () => {
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const at = (host: string | undefined) => ({ self: { host, port: OWN_PORT } });

  it.each('127.0.0.1 127.9.9.9 [::1] 0.0.0.0 [::] [::ffff:127.0.0.1] [::ffff:0:0] 2130706433'.split(' '))(
    'admit: %s at its port is refused by every policy',
    async (host) => {
      expect(await admittedBy(`http://${host}:${OWN_PORT}/`)).toEqual([]);
      const failure = await failureOf(admit(`http://${host}:${OWN_PORT}/`, { policy: 'open' }));
      expect(failure.message).toMatch(/ is the emulator itself, which is never called$/);
    },
  );

  it('admit: a name that resolves to it is refused', async () => {
    expect(await admittedBy(`https://name.test:${OWN_PORT}/`, { resolve: resolvingTo('127.0.0.1') })).toEqual(
      [],
    );
  });

  it('admit: another port of it is not', async () => {
    expect(await admittedBy(`http://127.0.0.1:${OWN_PORT + 1}/`)).toEqual(['local', 'open']);
  });

  it.each([
    ['http://127.0.0.1/', 80],
    ['https://127.0.0.1/', 443],
  ])('admit: %s means port %i', async (url, port) => {
    expect(await admittedBy(url, { self: { host: undefined, port } })).toEqual([]);
  });

  it.each(['10.1.2.3', '[2001:db8::5]'])('admit: %s is refused when it listens there', async (host) => {
    expect(await admittedBy(`http://${host}:${OWN_PORT}/`, at(host))).toEqual([]);
    expect(await admittedBy(`http://${host}:${OWN_PORT}/`, at('10.1.2.4'))).toEqual(['open']);
  });

  it('admit: the IPv4-mapped form of where it listens is refused', async () => {
    expect(await admittedBy(`http://[::ffff:10.1.2.3]:${OWN_PORT}/`, at('10.1.2.3'))).toEqual([]);
  });

  it.each(['0.0.0.0', '[::]', '::', 'this-machine'])(
    'admit: when it listens on %s, every address of this machine is refused',
    async (host) => {
      const admitted = await Promise.all(
        interfaces.map(({ address, family }) =>
          admittedBy(`http://${family === 'IPv6' ? `[${address}]` : address}:${OWN_PORT}/`, at(host)),
        ),
      );
      expect(admitted.flat()).toEqual([]);
      expect(await admittedBy(`http://10.255.255.254:${OWN_PORT}/`, at(host))).toEqual(['open']);
    },
  );
});
