import 'reflect-metadata';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { PemConverter, SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createAuthority, type Authority, type Identity } from '../../src/cli/echo/authority.ts';
import { DAY_MS } from '../../src/kernel/units.ts';
import type { TargetAnswer, TlsChoices } from '../../src/outbound/outbound.ts';
import { startRawTarget, startTarget, type TlsIdentity } from '../support/targets.ts';
import { call, failureOf, resolvingTo } from './an-outbound.ts';

const NAME = 'name.test';
const LONG_AGO = new Date('2020-01-01T00:00:00Z');
const A_YEAR_LATER = new Date('2021-01-01T00:00:00Z');
const FAR_AHEAD = new Date('2090-01-01T00:00:00Z');

let root: Authority;
let intermediate: Authority;
let stranger: Authority;
let server: Identity;
/** Under the intermediate, which it is sent with. */
let lowServer: Identity;
let caller: Identity;
let selfSigned: Identity;

beforeAll(async () => {
  root = await createAuthority('test root', Date.now());
  intermediate = await root.issueAuthority({ subject: 'test intermediate' });
  stranger = await createAuthority('stranger', Date.now());
  server = await root.issue({ subject: 'server', names: [NAME, '127.0.0.1'], usage: 'server' });
  lowServer = await under(intermediate, { names: [NAME] });
  caller = await root.issue({ subject: 'caller', usage: 'client' });
  selfSigned = await aSelfSigned();
});

afterEach(() => {
  vi.unstubAllEnvs();
});

async function under(authority: Authority, { names }: { names: readonly string[] }): Promise<Identity> {
  const { certificate, key } = await authority.issue({ subject: 'low server', names, usage: 'server' });
  return { certificate: `${certificate}\n${authority.certificate}`, key };
}

/** For a server, and under no authority but itself. */
async function aSelfSigned(): Promise<Identity> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=self-signed',
    keys,
    signingAlgorithm: algorithm,
    extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: NAME }])],
  });
  const key = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { certificate: certificate.toString('pem'), key: PemConverter.encode(key, 'PRIVATE KEY') };
}

interface Ask {
  readonly host?: string;
  readonly tls?: Partial<TlsChoices>;
  readonly pins?: readonly Identity[];
  readonly realNow?: () => number;
}

/** One call by name to a server on loopback that has this certificate. */
async function askPort(port: number, { host = NAME, tls, pins = [], realNow }: Ask): Promise<TargetAnswer> {
  return await call({
    url: `https://${host}:${port}/`,
    body: Buffer.from('the body'),
    tls: { extraRoots: [], pins: pins.map(({ certificate }) => new X509Certificate(certificate)), ...tls },
    context: { resolve: resolvingTo('127.0.0.1'), ...(realNow && { realNow }) },
  });
}

async function ask(identity: TlsIdentity, request: Ask = {}): Promise<TargetAnswer> {
  await using target = await startTarget({ tls: identity });
  return await askPort(target.port, request);
}

/** Why a server was refused, after it was sent nothing at all. */
async function refusal(identity: TlsIdentity, request: Ask = {}): Promise<string> {
  await using target = await startRawTarget({
    tls: identity,
    after: 'first byte',
    answer: 'HTTP/1.1 204 None\r\n\r\n',
  });
  const failure = await failureOf(askPort(target.port, request));
  expect(failure).toMatchObject({
    kind: 'unreachable',
    connection: { address: '127.0.0.1', tls: { pinned: null } },
  });
  // What was on its way has arrived by then.
  while (target.open > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(Buffer.concat(target.received)).toHaveLength(0);
  return failure.message;
}

/** Valid in 2020 only. */
function expired(issuer: Authority): Promise<Identity> {
  const dates = { notBefore: LONG_AGO, notAfter: A_YEAR_LATER };
  return issuer.issue({ subject: 'server', names: [NAME], usage: 'server', ...dates });
}

function notYetValid(issuer: Authority): Promise<Identity> {
  const dates = { notBefore: FAR_AHEAD, notAfter: new Date(FAR_AHEAD.getTime() + DAY_MS) };
  return issuer.issue({ subject: 'server', names: [NAME], usage: 'server', ...dates });
}

describe('without pins', () => {
  const trusting = () => ({ tls: { extraRoots: [root.certificate] } });

  it('send: an extra root is trusted, and the notes say what was shown', async () => {
    const { status, connection } = await ask(server, trusting());
    expect(status).toBe(200);
    expect(connection).toMatchObject({
      address: '127.0.0.1',
      tls: { version: 'TLSv1.3', pinned: null, chain: ['CN=server'] },
    });
  });

  it('send: an extra root is trusted through an intermediate that the server sends', async () => {
    const { connection } = await ask(lowServer, trusting());
    expect(connection.tls?.chain).toEqual(['CN=low server', 'CN=test intermediate']);
  });

  it('send: an address is checked against the addresses of the certificate', async () => {
    expect(await ask(server, { ...trusting(), host: '127.0.0.1' })).toMatchObject({ status: 200 });
    expect(await refusal(lowServer, { ...trusting(), host: '127.0.0.1' })).toBe(
      'The certificate of 127.0.0.1 is for other names (ERR_TLS_CERT_ALTNAME_INVALID)',
    );
  });

  it('send: the trailing dot of a name is no part of it', async () => {
    expect(await ask(server, { ...trusting(), host: `${NAME}.` })).toMatchObject({ status: 200 });
  });

  it('send: TLS 1.2 is spoken', async () => {
    const { connection } = await ask({ ...server, maxVersion: 'TLSv1.2' }, trusting());
    expect(connection.tls?.version).toBe('TLSv1.2');
  });

  it('send: TLS 1.1 is not', async () => {
    await using target = await startTarget({ tls: { ...server, maxVersion: 'TLSv1.1' } });
    const failure = await failureOf(askPort(target.port, trusting()));
    expect(failure.kind).toBe('unreachable');
    expect(failure.message).toMatch(/^name\.test:\d+ offers no TLS 1\.2 or later \(ERR_SSL_\w+\)$/);
    expect(failure.connection).toEqual({ address: '127.0.0.1', msConnect: expect.any(Number) as number });
  });

  it('send: another host name is refused', async () => {
    expect(await refusal(server, { ...trusting(), host: 'other.test' })).toBe(
      'The certificate of other.test is for other names (ERR_TLS_CERT_ALTNAME_INVALID)',
    );
  });

  it('send: an expired certificate is refused', async () => {
    expect(await refusal(await expired(root), trusting())).toBe(
      'The certificate of name.test expired on 2021-01-01T00:00:00Z (CERT_HAS_EXPIRED)',
    );
  });

  it('send: a certificate that is not yet valid is refused', async () => {
    expect(await refusal(await notYetValid(root), trusting())).toBe(
      'The certificate of name.test is not valid before 2090-01-01T00:00:00Z (CERT_NOT_YET_VALID)',
    );
  });

  it('send: an expired intermediate is refused', async () => {
    const old = await root.issueAuthority({ subject: 'old', notBefore: LONG_AGO, notAfter: A_YEAR_LATER });
    expect(await refusal(await under(old, { names: [NAME] }), trusting())).toBe(
      'A certificate above the one of name.test expired on 2021-01-01T00:00:00Z (CERT_HAS_EXPIRED)',
    );
  });

  it('send: a self-signed certificate is refused', async () => {
    expect(await refusal(selfSigned)).toBe(
      'The certificate of name.test is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT); pin it, or add it to the extra roots',
    );
  });

  it('send: a certificate that is not for servers is refused', async () => {
    expect(await refusal(caller, trusting())).toMatch(
      /not one for servers \(INVALID_PURPOSE\)|for other names/,
    );
  });

  it('send: a certificate of an unknown authority is refused', async () => {
    expect(await refusal(server)).toMatch(
      /^The certificate of name\.test comes from no trusted authority \(UNABLE_TO_\w+\); pin it/,
    );
    expect(await refusal(server, { tls: { extraRoots: [stranger.certificate] } })).toMatch(
      /no trusted authority/,
    );
  });

  it('send: the notes say what was shown by a server that was refused', async () => {
    await using target = await startTarget({ tls: lowServer });
    const { connection } = await failureOf(askPort(target.port, {}));
    expect(connection?.tls).toEqual({
      version: 'TLSv1.3',
      pinned: null,
      chain: ['CN=low server', 'CN=test intermediate'],
    });
  });

  it('send: an environment that would accept any certificate changes nothing', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    expect(await refusal(server)).toMatch(/no trusted authority/);
    expect(await refusal(server, { pins: [stranger] })).toMatch(/matches no pinned certificate/);
  });

  it('send: roots of one call are not those of the next', async () => {
    await using target = await startTarget({ tls: server });
    const url = `https://${NAME}:${target.port}/`;
    const outbound = { resolve: resolvingTo('127.0.0.1') };
    const request = { url, context: outbound };
    await call({ ...request, tls: { pins: [], extraRoots: [root.certificate] } });
    const failure = await failureOf(call({ ...request, tls: { pins: [], extraRoots: [] } }));
    expect(failure.kind).toBe('unreachable');
  });

  it('send: no session is resumed, each call is verified anew', async () => {
    await using target = await startTarget({ tls: { ...server, maxVersion: 'TLSv1.2' } });
    await askPort(target.port, trusting());
    expect((await failureOf(askPort(target.port, {}))).message).toMatch(/no trusted authority/);
  });

  it('send: an extra root that is no certificate is no root', async () => {
    const extraRoots = ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'];
    expect(await refusal(server, { tls: { extraRoots } })).toMatch(/no trusted authority/);
  });
});

describe('with pins', () => {
  it('send: a pinned certificate is accepted, whatever host it is for', async () => {
    const { connection } = await ask(server, { host: 'other.test', pins: [server] });
    expect(connection.tls?.pinned).toBe('leaf');
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
});

describe('client certificates', () => {
  const showing = (client: Identity | undefined) => ({ tls: { extraRoots: [root.certificate], client } });
  const versions = ['TLSv1.2', 'TLSv1.3'] as const;

  it.each(versions)('send: the one that is wanted is shown (%s)', async (maxVersion) => {
    await using target = await startTarget({
      tls: { ...server, maxVersion },
      requireClientCertificate: root.certificate,
    });
    expect(await askPort(target.port, showing(caller))).toMatchObject({ status: 200 });
    expect(target.requests[0]).toMatchObject({
      clientCertificate: 'CN=caller',
      body: Buffer.from('the body'),
    });
  });

  it.each(versions)('send: with a pinned server (%s)', async (maxVersion) => {
    await using target = await startTarget({
      tls: { ...server, maxVersion },
      requireClientCertificate: root.certificate,
    });
    const answer = await askPort(target.port, { pins: [server], tls: { client: caller } });
    expect(answer).toMatchObject({ status: 200, connection: { tls: { pinned: 'leaf' } } });
  });

  it.each(versions)('send: a server that gets none says so (%s)', async (maxVersion) => {
    await using target = await startTarget({
      tls: { ...server, maxVersion },
      requireClientCertificate: root.certificate,
    });
    const failure = await failureOf(askPort(target.port, showing(undefined)));
    expect(failure.kind).toBe('unreachable');
    expect(failure.message).toMatch(/client certificate/);
    expect(target.requests).toEqual([]);
  });

  it.each(versions)('send: a server that gets another one says so (%s)', async (maxVersion) => {
    await using target = await startTarget({
      tls: { ...server, maxVersion },
      requireClientCertificate: root.certificate,
    });
    const unknown = await stranger.issue({ subject: 'caller', usage: 'client' });
    const failure = await failureOf(askPort(target.port, showing(unknown)));
    expect(failure.kind).toBe('unreachable');
    expect(failure.message).toMatch(/client certificate/);
    expect(target.requests).toEqual([]);
  });

  it('send: a key that does not fit opens nothing, and is in no message', async () => {
    await using target = await startTarget({ tls: server });
    const client = { certificate: caller.certificate, key: server.key };
    const failure = await failureOf(askPort(target.port, showing(client)));
    expect(failure.kind).toBe('unreachable');
    expect(failure.message).toMatch(/^The client certificate and its key can't be used \(ERR_\w+\)$/);
    expect(target.connections).toBe(0);
    const secret = createPrivateKey(client.key)
      .export({ format: 'pem', type: 'pkcs8' })
      .toString()
      .split('\n')[1];
    expect(`${failure.stack} ${String((failure.cause as Error).stack)}`).not.toContain(secret);
  });

  it('send: one that nobody asks for is not shown', async () => {
    await using target = await startTarget({ tls: server });
    await askPort(target.port, showing(caller));
    expect(target.requests[0]).not.toHaveProperty('clientCertificate');
  });
});

describe('the wrong scheme', () => {
  it('send: https to a server that speaks http', async () => {
    await using target = await startTarget();
    const failure = await failureOf(askPort(target.port, {}));
    expect(failure.kind).toBe('unreachable');
    expect(failure.message).toMatch(/^name\.test:\d+ speaks no TLS, but the URL says https \(ERR_SSL_\w+\)$/);
    expect(target.requests).toEqual([]);
  });

  it('send: http to a server that speaks https', async () => {
    await using target = await startTarget({ tls: server });
    const failure = await failureOf(call({ url: `http://127.0.0.1:${target.port}/` }));
    expect(failure.kind).toBe('unreachable');
    expect(failure.message).toMatch(/it may want https|the URL says http/);
  });

  it('send: http to a server that answers with a TLS alert', async () => {
    await using target = await startRawTarget({ answer: Buffer.from([0x15, 3, 3, 0, 2, 2, 70]) });
    const failure = await failureOf(call({ url: `http://127.0.0.1:${target.port}/` }));
    expect(failure.message).toMatch(/^127\.0\.0\.1:\d+ speaks TLS, but the URL says http \(HPE_\w+\)$/);
  });

  it.each(['end', 'reset'] as const)('send: https to a server that closes (%s)', async (then) => {
    await using target = await startRawTarget({ after: 'first byte', then });
    const failure = await failureOf(askPort(target.port, {}));
    expect(failure.kind).toBe('unreachable');
    expect(failure.message).toMatch(
      /^name\.test:\d+ closed the connection during the TLS handshake \(ECONNRESET\)/,
    );
  });

  it('send: the deadline ends a handshake that is not answered', async () => {
    await using target = await startRawTarget({ after: 'first byte', then: 'silence' });
    const controller = new AbortController();
    const failing = failureOf(
      call({ url: `https://127.0.0.1:${target.port}/`, limits: { signal: controller.signal } }),
    );
    while (target.received.length === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    const failure = await failing;
    expect(failure).toMatchObject({ kind: 'timeout', connection: { address: '127.0.0.1' } });
    expect(failure.message).toMatch(/did not finish the TLS handshake in time$/);
    while (target.open > 0) await new Promise((resolve) => setImmediate(resolve));
  });
});
