/** TLS of a proxy call, through the API (contract §3.3, TLS). */
import { expect } from 'vitest';
import { createAuthority } from '../../../src/cli/echo/authority.ts';
import { startTarget } from '../../support/targets.ts';
import { testWith } from '../../support/test-with.ts';
import { aCallTo } from './a-call.ts';

const PIN = 'x-fp-proxy-pin-cert';
const NAMES = { names: ['127.0.0.1'], usage: 'server' } as const;

const authority = await createAuthority('a root', Date.now());
const server = await authority.issue({ subject: 'server', ...NAMES });

const base64 = (pem: string) => Buffer.from(pem).toString('base64');

const body = '{{ id.city }}';

const test = testWith(async () => aCallTo(await startTarget({ tls: server })));

test('jit: a pinned leaf is trusted, whatever its name', async () => {
  const misnamed = await authority.issue({ ...NAMES, subject: 'misnamed', names: ['elsewhere.example'] });
  await using proxy = await aCallTo(await startTarget({ tls: misnamed }));

  const reply = await proxy.jit({ body, headers: { [PIN]: base64(misnamed.certificate) } });

  expect(reply.status).toBe(200);
  const { tls } = await proxy.explain(reply);
  expect([tls?.version, tls?.pinned, tls?.chain]).toEqual(['TLSv1.3', 'leaf', ['CN=misnamed']]);
});

test('jit: an extra root is trusted from the next call on, and no longer once it is gone', async (proxy) => {
  const set = (extra_roots: string[]) =>
    proxy.service.call('PATCH /_kyclone/settings', { body: { egress: { extra_roots } } });

  await set([authority.certificate]);
  const trusted = await proxy.jit({ body });
  await set([]);
  const refused = await proxy.refusedJit({ body });

  expect([trusted.status, (await proxy.explain(trusted)).tls?.pinned]).toEqual([200, null]);
  expect([refused.status, refused.code]).toEqual([502, 'proxy_upstream_unreachable']);
  expect(proxy.target.requests).toHaveLength(1);
  const { tls, hints } = await proxy.explain(refused);
  expect([tls?.pinned, tls?.chain[0]]).toEqual([null, 'CN=server']);
  expect(hints.join()).toContain('egress.extra_roots');
});

test('jit: a client certificate is shown to the target, and nothing of its key anywhere', async () => {
  const client = await authority.issue({ subject: 'caller', usage: 'client' });
  const mutual = await startTarget({ tls: server, requireClientCertificate: authority.certificate });
  await using proxy = await aCallTo(mutual);

  const headers = {
    [PIN]: base64(authority.certificate),
    'x-fp-proxy-client-cert': base64(client.certificate),
    'x-fp-proxy-client-key': base64(client.key),
  };
  const reply = await proxy.jit({ body, headers });

  expect(reply.status).toBe(200);
  expect(mutual.requests[0]).toMatchObject({ clientCertificate: 'CN=caller', body: Buffer.from('Enclave') });
  const shown = JSON.stringify([await proxy.explain(reply), await proxy.journal(reply), proxy.service.log]);
  const line = client.key.split('\n')[1] ?? '';
  expect(line.length).toBeGreaterThan(40);
  for (const form of [line, base64(client.key).slice(40, 80)]) expect(shown).not.toContain(form);
});
