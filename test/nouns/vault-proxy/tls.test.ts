/** TLS of a proxy call, through the API (contract §3.3, TLS). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthority, type Authority, type Identity } from '../../../src/cli/echo/authority.ts';
import { startProxy, type ProxyParts, type TestProxy } from '../../support/proxy-calls.ts';
import { startTarget, type Target } from '../../support/targets.ts';

const PIN = 'x-fp-proxy-pin-cert';
const CERT = 'x-fp-proxy-client-cert';
const KEY = 'x-fp-proxy-client-key';

const inBase64 = (pem: string) => Buffer.from(pem).toString('base64');
const inPercents = (pem: string) => encodeURIComponent(pem);

let authority: Authority;
let stranger: Authority;
let server: Identity;
let misnamed: Identity;
let client: Identity;

let proxy: TestProxy;
let target: Target;
let elsewhere: Target;
let mutual: Target;
let user: string;

beforeAll(async () => {
  const now = Date.now();
  authority = await createAuthority('a root', now);
  stranger = await createAuthority('another root', now);
  server = await authority.issue({ subject: 'server', names: ['127.0.0.1'], usage: 'server' });
  misnamed = await authority.issue({ subject: 'misnamed', names: ['elsewhere.example'], usage: 'server' });
  client = await authority.issue({ subject: 'caller', usage: 'client' });
  proxy = await startProxy();
  target = await startTarget({ tls: server });
  elsewhere = await startTarget({ tls: misnamed });
  mutual = await startTarget({ tls: server, requireClientCertificate: authority.certificate });
  user = await proxy.service.user();
});

afterAll(async () => {
  for (const each of [target, elsewhere, mutual, proxy]) await each[Symbol.asyncDispose]();
});

const jit = (url: string, headers: ProxyParts['headers']) =>
  proxy.jit({ target: url, id: user, body: '{{ id.city }}', ...(headers && { headers }) });

/** Checks that the call fails before the body was sent; returns the message. */
async function refusal({ url, requests }: Target, headers: ProxyParts['headers']) {
  const before = requests.length;
  const refused = await proxy.refusedJit({
    ...{ target: url, id: user, body: '{{ id.city }}' },
    ...(headers && { headers }),
  });
  expect([refused.status, refused.code]).toEqual([502, 'proxy_upstream_unreachable']);
  expect(requests).toHaveLength(before);
  return refused;
}

describe('pins', () => {
  test.each([
    ['base64', inBase64],
    ['percents', inPercents],
  ])('jit: a pinned leaf in %s is trusted, whatever its name', async (_, encode) => {
    const reply = await jit(elsewhere.url, { [PIN]: encode(misnamed.certificate) });

    expect(reply.status).toBe(200);
    const { tls } = await proxy.explain(reply);
    expect([tls?.version, tls?.pinned, tls?.chain]).toEqual(['TLSv1.3', 'leaf', ['CN=misnamed']]);
  });

  test('jit: with a pin only pins are trusted: a wrong one refuses before the body is sent', async () => {
    const refused = await refusal(target, { [PIN]: inBase64(stranger.certificate) });

    const { tls, upstream } = await proxy.explain(refused);
    expect([tls?.pinned, tls?.chain[0], upstream?.status]).toEqual([null, 'CN=server', null]);
  });
});

describe('roots', () => {
  test('jit: an unknown authority is refused, and the explanation shows the chain', async () => {
    const refused = await refusal(target, {});

    const { tls, hints } = await proxy.explain(refused);
    expect([tls?.pinned, tls?.chain[0]]).toEqual([null, 'CN=server']);
    expect(hints.join()).toContain('egress.extra_roots');
  });

  test('jit: an extra root is trusted from the next call on, and no longer once it is gone', async () => {
    const set = (extra_roots: string[]) =>
      proxy.service.call('PATCH /_kyclone/settings', { body: { egress: { extra_roots } } });

    await set([authority.certificate]);
    const trusted = await jit(target.url, {});
    await refusal(elsewhere, {});
    await set([]);

    expect([trusted.status, (await proxy.explain(trusted)).tls?.pinned]).toEqual([200, null]);
    await refusal(target, {});
  });
});

describe('client certificates', () => {
  test.each([
    ['base64', inBase64],
    ['percents', inPercents],
  ])('jit: a client certificate in %s is shown to the target', async (_, encode) => {
    const reply = await jit(mutual.url, {
      ...{ [PIN]: inBase64(authority.certificate) },
      ...{ [CERT]: encode(client.certificate), [KEY]: encode(client.key) },
    });

    expect(reply.status).toBe(200);
    expect(mutual.requests.at(-1)?.clientCertificate).toBe('CN=caller');
    expect(mutual.requests.at(-1)?.body.toString()).toBe('Enclave');
  });

  test('jit: nothing of the key is shown anywhere', async () => {
    const reply = await jit(mutual.url, {
      ...{ [PIN]: inBase64(authority.certificate) },
      ...{ [CERT]: inBase64(client.certificate), [KEY]: inBase64(client.key) },
    });

    const shown = JSON.stringify([await proxy.explain(reply), await proxy.journal(reply), proxy.service.log]);
    const line = client.key.split('\n')[1] ?? '';
    expect(line.length).toBeGreaterThan(40);
    for (const form of [line, inBase64(client.key).slice(40, 80)]) expect(shown).not.toContain(form);
  });
});
