import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { createAuthority } from '../../src/cli/echo/authority.ts';
import { DAY_MS } from '../../src/kernel/numbers/units.ts';
import {
  ask,
  caller,
  expired,
  expiredAuthority,
  FAR_AHEAD,
  intermediate,
  LONG_AGO,
  lowServer,
  NAME,
  notYetValid,
  refusal,
  root,
  selfSigned,
  server,
  stranger,
  underExpired,
} from './tls-servers.ts';

it.each([
  ['the certificate, whatever host it is for', server, { host: 'other.test', pins: [server] }, 'leaf'],
  ['one of several certificates', server, { pins: [stranger, caller, server] }, 'leaf'],
  ['a self-signed certificate', selfSigned, { pins: [selfSigned] }, 'leaf'],
  ['one of several authorities, for its host name', server, { pins: [stranger, caller, root] }, 'ca'],
  ['a root above the intermediate', lowServer, { pins: [root] }, 'ca'],
  ['an intermediate', lowServer, { pins: [intermediate] }, 'ca'],
])('send: a pin of %s is accepted', async (_, identity, request, pinned) => {
  expect((await ask(identity, request)).connection.tls?.pinned).toBe(pinned);
});

it('send: another host name under a pinned authority is refused', async () => {
  const message = 'The certificate of other.test is for other names (ERR_TLS_CERT_ALTNAME_INVALID)';
  expect(await refusal(server, { host: 'other.test', pins: [root] })).toBe(message);
  expect(await refusal(lowServer, { host: 'other.test', pins: [intermediate] })).toBe(message);
});

it.each([
  ['of an authority it does not come from', () => [stranger]],
  ['of another certificate of the same authority', () => [caller]],
  ['of a sibling authority', () => [intermediate]],
])('send: a pin %s is refused', async (_, pins) => {
  expect(await refusal(server, { pins: pins() })).toMatch(
    /^The certificate of name\.test matches no pinned certificate \([A-Z_]+\)$/,
  );
});

it('send: the same name under another key is refused', async () => {
  const twin = await root.issue({ subject: 'server', names: [NAME], usage: 'server' });
  expect(await refusal(server, { pins: [twin] })).toMatch(/matches no pinned certificate/);
  const sameNamed = await createAuthority('test root', Date.now());
  expect(await refusal(server, { pins: [sameNamed] })).toMatch(
    /was not accepted|matches no pinned certificate/,
  );
});

it('send: only pins count, no other root does', async () => {
  const tls = { extraRoots: [root.certificate] };
  const pins = [new X509Certificate(stranger.certificate)];
  expect(await refusal(server, { tls: { ...tls, pins } })).toMatch(/matches no pinned certificate/);
});

it('send: a pinned certificate that is no authority vouches for no other', async () => {
  const own = await root.issue({ subject: 'test intermediate', names: [NAME], usage: 'server' });
  expect(await refusal(lowServer, { pins: [own] })).toMatch(/matches no pinned certificate/);
});

const EXPIRED = 'The certificate of name.test expired on 2021-01-01T00:00:00Z';
const EARLY = 'The certificate of name.test is not valid before 2090-01-01T00:00:00Z';

it.each([
  ['that is pinned and has expired', expired, [expired], EXPIRED],
  ['that has expired, pinned beside its authority', expired, [expired, root], EXPIRED],
  ['that has expired, of a pinned authority', expired, [root], EXPIRED],
  ['that is pinned and not yet valid', notYetValid, [notYetValid], EARLY],
  ['of a pinned authority that has expired', underExpired, [expiredAuthority], 'expired on 2021'],
])('send: a certificate %s is refused', async (_, identity, pins, message) => {
  expect(await refusal(identity, { pins })).toContain(message);
});

it('send: the dates of a pinned certificate are of the real clock that was handed in', async () => {
  expect(await refusal(server, { pins: [server], realNow: () => FAR_AHEAD.getTime() })).toMatch(
    / expired on /,
  );
  const during = () => LONG_AGO.getTime() + DAY_MS;
  expect((await ask(expired, { pins: [expired], realNow: during })).connection.tls?.pinned).toBe('leaf');
});
