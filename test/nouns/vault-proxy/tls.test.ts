/** TLS of a proxy call, through the API (contract §3.3, TLS). */
import { expect } from 'vitest';
import { createAuthority } from '../../../src/cli/echo/authority.ts';
import { startProxy, type ProxyParts } from '../../support/proxy-calls.ts';
import { startTarget } from '../../support/targets.ts';
import { testWith } from '../../support/test-with.ts';

const PIN = 'x-fp-proxy-pin-cert';
const NAMES = { names: ['127.0.0.1'], usage: 'server' } as const;

const authority = await createAuthority('a root', Date.now());
const server = await authority.issue({ subject: 'server', ...NAMES });

const base64 = (pem: string) => Buffer.from(pem).toString('base64');

/** Makes a user, and calls with a token of the user. */
async function aCaller() {
  const proxy = await startProxy();
  const id = await proxy.service.user();
  const parts = (target: string, headers: ProxyParts['headers'] = {}): ProxyParts => ({
    target,
    id,
    body: '{{ id.city }}',
    headers,
  });
  return { ...proxy, parts };
}

const test = testWith(aCaller);

test('jit: a pinned leaf is trusted, whatever its name', async (proxy) => {
  const misnamed = await authority.issue({ ...NAMES, subject: 'misnamed', names: ['elsewhere.example'] });
  await using target = await startTarget({ tls: misnamed });

  const reply = await proxy.jit(proxy.parts(target.url, { [PIN]: base64(misnamed.certificate) }));

  expect(reply.status).toBe(200);
  const { tls } = await proxy.explain(reply);
  expect([tls?.version, tls?.pinned, tls?.chain]).toEqual(['TLSv1.3', 'leaf', ['CN=misnamed']]);
});

test('jit: an extra root is trusted from the next call on, and no longer once it is gone', async (proxy) => {
  await using target = await startTarget({ tls: server });
  const set = (extra_roots: string[]) =>
    proxy.service.call('PATCH /_kyclone/settings', { body: { egress: { extra_roots } } });

  await set([authority.certificate]);
  const trusted = await proxy.jit(proxy.parts(target.url));
  await set([]);
  const refused = await proxy.refusedJit(proxy.parts(target.url));

  expect([trusted.status, (await proxy.explain(trusted)).tls?.pinned]).toEqual([200, null]);
  expect([refused.status, refused.code, target.requests.length]).toEqual([
    502,
    'proxy_upstream_unreachable',
    1,
  ]);
  const { tls, hints } = await proxy.explain(refused);
  expect([tls?.pinned, tls?.chain[0]]).toEqual([null, 'CN=server']);
  expect(hints.join()).toContain('egress.extra_roots');
});

test('jit: a client certificate is shown to the target, and nothing of its key anywhere', async (proxy) => {
  const client = await authority.issue({ subject: 'caller', usage: 'client' });
  await using mutual = await startTarget({ tls: server, requireClientCertificate: authority.certificate });

  const reply = await proxy.jit(
    proxy.parts(mutual.url, {
      [PIN]: base64(authority.certificate),
      'x-fp-proxy-client-cert': base64(client.certificate),
      'x-fp-proxy-client-key': base64(client.key),
    }),
  );

  expect(reply.status).toBe(200);
  expect(mutual.requests[0]).toMatchObject({ clientCertificate: 'CN=caller', body: Buffer.from('Enclave') });
  const shown = JSON.stringify([await proxy.explain(reply), await proxy.journal(reply), proxy.service.log]);
  const line = client.key.split('\n')[1] ?? '';
  expect(line.length).toBeGreaterThan(40);
  for (const form of [line, base64(client.key).slice(40, 80)]) expect(shown).not.toContain(form);
});
