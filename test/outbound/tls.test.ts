import { afterEach, describe, expect, it, vi } from 'vitest';
import { startRawTarget, startTarget } from '../support/targets.ts';
import { anOutbound, call, failureOf } from './an-outbound.ts';
import {
  ask,
  askPort,
  caller,
  expired,
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

const OTHER_NAMES = 'is for other names (ERR_TLS_CERT_ALTNAME_INVALID)';
const EXPIRED = 'expired on 2021-01-01T00:00:00Z (CERT_HAS_EXPIRED)';
const TOO_EARLY = 'is not valid before 2090-01-01T00:00:00Z (CERT_NOT_YET_VALID)';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('without pins', () => {
  const trusting = () => ({ tls: { extraRoots: [root.certificate] } });

  it("send: an extra root is trusted, and the notes have the server's chain", async () => {
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
      `The certificate of 127.0.0.1 ${OTHER_NAMES}`,
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
    expect(failure.connection).toEqual({
      address: '127.0.0.1',
      msConnect: expect.any(Number) as number,
      wasSent: false,
    });
  });

  it.each([
    ['for another host name', server, `The certificate of other.test ${OTHER_NAMES}`],
    ['that has expired', expired, `The certificate of name.test ${EXPIRED}`],
    ['that is not yet valid', notYetValid, `The certificate of name.test ${TOO_EARLY}`],
    ['under an expired intermediate', underExpired, `A certificate above the one of name.test ${EXPIRED}`],
  ])('send: a certificate %s is refused', async (what, identity, message) => {
    const host = what === 'for another host name' ? 'other.test' : NAME;
    expect(await refusal(identity, { ...trusting(), host })).toBe(message);
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

  it('send: the notes have the chain of a refused server', async () => {
    await using target = await startTarget({ tls: lowServer });
    expect((await failureOf(askPort(target.port, {}))).connection?.tls).toEqual({
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
    const outbound = anOutbound();
    const { port } = target;
    await askPort(port, { ...trusting(), host: '127.0.0.1', outbound });
    const failure = await failureOf(askPort(port, { host: '127.0.0.1', outbound }));
    expect(failure.message).toMatch(/no trusted authority/);
  });

  it('send: no session is resumed, each call is verified again', async () => {
    await using target = await startTarget({ tls: { ...server, maxVersion: 'TLSv1.2' } });
    const outbound = anOutbound();
    const { port } = target;
    await askPort(port, { pins: [server], host: '127.0.0.1', outbound });
    const failure = await failureOf(askPort(port, { pins: [stranger], host: '127.0.0.1', outbound }));
    expect(failure.message).toMatch(/matches no pinned certificate/);
  });

  it('send: an extra root that is no certificate is no root', async () => {
    const extraRoots = ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'];
    expect(await refusal(server, { tls: { extraRoots } })).toMatch(/no trusted authority/);
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
