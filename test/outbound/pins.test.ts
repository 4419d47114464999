import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { createAuthority } from '../../src/cli/echo/authority.ts';
import { DAY_MS } from '../../src/kernel/units.ts';
import {
  A_YEAR_LATER,
  ask,
  caller,
  expired,
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
  under,
} from './tls-servers.ts';

it('send: a pinned certificate is accepted, whatever host it is for', async () => {
  expect((await ask(server, { host: 'other.test', pins: [server] })).connection.tls?.pinned).toBe('leaf');
});

it('send: any of several pins will do', async () => {
  expect((await ask(server, { pins: [stranger, caller, server] })).connection.tls?.pinned).toBe('leaf');
  expect((await ask(server, { pins: [stranger, caller, root] })).connection.tls?.pinned).toBe('ca');
});

it('send: a pinned self-signed certificate is accepted', async () => {
  expect((await ask(selfSigned, { pins: [selfSigned] })).connection.tls?.pinned).toBe('leaf');
});

it('send: a pinned root is accepted for its host name', async () => {
  expect((await ask(server, { pins: [root] })).connection.tls?.pinned).toBe('ca');
  expect((await ask(lowServer, { pins: [root] })).connection.tls?.pinned).toBe('ca');
});

it('send: a pinned intermediate is accepted for its host name', async () => {
  expect((await ask(lowServer, { pins: [intermediate] })).connection.tls?.pinned).toBe('ca');
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

it('send: a pinned certificate that has expired is refused', async () => {
  const old = await expired(root);
  expect(await refusal(old, { pins: [old] })).toBe(
    'The certificate of name.test expired on 2021-01-01T00:00:00Z',
  );
  expect(await refusal(old, { pins: [old, root] })).toMatch(/expired/);
});

it('send: a pinned certificate that is not yet valid is refused', async () => {
  const early = await notYetValid(root);
  expect(await refusal(early, { pins: [early] })).toBe(
    'The certificate of name.test is not valid before 2090-01-01T00:00:00Z',
  );
});

it('send: the dates of a pinned certificate are of the real clock that was handed in', async () => {
  expect(await refusal(server, { pins: [server], realNow: () => FAR_AHEAD.getTime() })).toMatch(
    / expired on /,
  );
  const old = await expired(root);
  const during = () => LONG_AGO.getTime() + DAY_MS;
  expect((await ask(old, { pins: [old], realNow: during })).connection.tls?.pinned).toBe('leaf');
});

it('send: an expired certificate under a pinned authority is refused', async () => {
  expect(await refusal(await expired(root), { pins: [root] })).toMatch(/ expired on 2021-01-01T00:00:00Z/);
});

it('send: an expired authority that is pinned is refused', async () => {
  const old = await root.issueAuthority({ subject: 'old', notBefore: LONG_AGO, notAfter: A_YEAR_LATER });
  expect(await refusal(await under(old, { names: [NAME] }), { pins: [old] })).toMatch(/ expired on 2021/);
});
