/** POST /vault_proxy/{proxy_id} sends what jit would send with the stored values as its headers (contract §3.4). */
import { describe, expect } from 'vitest';
import { createAuthority } from '../../../src/cli/echo/authority.ts';
import { LIVE_KEY } from '../../support/service.ts';
import { jsonTarget } from '../../support/targets.ts';
import { accessLog, vaultOf } from '../../support/vault-calls.ts';
import { testWith } from '../../support/test-with.ts';
import { aConfigured, SECRET, store } from './a-configuration.ts';

const test = testWith(aConfigured);
type Configured = Awaited<ReturnType<typeof aConfigured>>;

const change = ({ service, id }: Configured, body: object) =>
  service.call('PATCH /_kyclone/proxies/{id}', { params: { id }, body });
const UNKNOWN = `proxy_id_${'0'.repeat(22)}`;

describe('requests sent', () => {
  test('stored: method, body and path reach the target, and headers, before those of the call', async () => {
    await using call = await aConfigured({
      method: 'PUT',
      headers: { 'X-Version': '2', 'content-type': 'application/json' },
      secret_headers: { Authorization: SECRET },
    });

    const reply = await call.call({
      pathAndQuery: 'checks?dry=1',
      body: '{"city": "{{ id.city }}"}',
      forward: { 'x-version': '1', AUTHORIZATION: 'mine', 'content-type': 'text/plain', 'x-own': 'mine' },
    });

    expect([reply.status, reply.text]).toEqual([200, '{"ok":true}']);
    expect(reply.headers['x-fp-proxy-upstream-status-code']).toBe('200');
    const [request] = call.target.requests;
    expect([request?.method, request?.path, request?.body.toString()]).toEqual([
      'PUT',
      '/checks?dry=1',
      '{"city": "Enclave"}',
    ]);
    expect(request?.headers).toMatchObject({
      'x-version': '2',
      'x-own': 'mine',
      authorization: SECRET,
      'content-type': 'application/json',
    });
    expect(Object.keys(request?.headers ?? {}).filter((name) => name.startsWith('x-fp-'))).toEqual([]);
  });

  test('stored: is what jit sends with the same values', async () => {
    await using call = await aConfigured({ headers: { 'x-version': '2' }, access_reason: 'check' });

    await call.call({ forward: { 'x-own': 'ä' } });
    const forward = { 'x-version': '2', 'x-own': 'ä' };
    await call.jit({ reason: 'check', forward, body: 'To {{ id.city }}' });

    const [stored, plain] = call.target.requests;
    expect({ ...stored, rawHeaders: [] }).toEqual({ ...plain, rawHeaders: [] });
    const [{ seq: _seq, request_id: _id, prev_hash: _before, hash: _hash, ...entry } = {}, other] =
      await accessLog(call.service);
    expect(other).toMatchObject(entry);
    expect(entry).toMatchObject({ operation: 'proxy', reason: 'check', identifiers: ['id.city'] });
  });

  test('stored: rules without an entity store into the one of x-fp-id', async () => {
    await using call = await aConfigured(
      { ingress: { content_type: 'json', rules: [{ token: 'custom.score', target: "$['a,b'].score" }] } },
      { handler: jsonTarget({ 'a,b': { score: 7 }, other: 1 }) },
    );

    const reply = await call.call();

    expect(reply.text).toBe(`{"a,b":{"score":"${call.user}.custom.score"},"other":1}`);
    expect(await vaultOf(call.service, call.user).decrypt(['custom.score'])).toEqual({ 'custom.score': 7 });
  });

  test('stored: a client certificate and pins are used', async () => {
    const authority = await createAuthority('a root', Date.now());
    const tls = await authority.issue({ subject: 'server', names: ['127.0.0.1'], usage: 'server' });
    const client = await authority.issue({ subject: 'caller', usage: 'client' });
    const pins = [authority.certificate];
    await using call = await aConfigured(
      { client_identity: client, pins },
      { tls, requireClientCertificate: authority.certificate },
    );

    const reply = await call.call();

    expect(reply.status).toBe(200);
    expect(call.target.requests[0]?.clientCertificate).toBe('CN=caller');
    expect((await call.explain(reply)).tls).toMatchObject({ pinned: 'ca' });

    const { certificate } = await createAuthority('another root', Date.now());
    await change(call, { pins: [certificate] });
    const refused = await call.refusedCall();
    expect([refused.status, refused.code]).toEqual([502, 'proxy_upstream_unreachable']);
    expect((await call.explain(refused)).hints.join()).toContain('member pins of the proxy configuration');
  });
});

describe('refusals', () => {
  test.eachWith([
    ['x-fp-proxy-target-url', 'http://127.0.0.1:1/'],
    ['X-Fp-Proxy-Method', 'GET'],
    ['x-fp-proxy-access-reason', 'mine'],
    ['x-fp-proxy-client-cert', 'eA=='],
    ['x-fp-proxy-client-key', 'eA=='],
    ['x-fp-proxy-pin-cert', 'eA=='],
    ['x-fp-proxy-ingress-content-type', 'json'],
    ['x-fp-proxy-ingress-rule', 'id.city=$.city'],
  ])('stored: %s is part of the configuration: 400 naming it', async (call, name, value) => {
    const refused = await call.refusedCall({ headers: { [name]: value } });

    expect([refused.status, refused.code]).toEqual([400, 'invalid_request']);
    expect(refused.message).toContain(`Header ${name.toLowerCase()} is part of the proxy configuration`);
    expect(call.target.connections).toBe(0);
  });

  test('stored: disabled is 409, an invalid header 400 before that; enabled again it sends', async () => {
    await using call = await aConfigured({ enabled: false });

    expect(await call.refusedCall()).toMatchObject({ status: 409, code: 'conflict' });
    expect((await call.refusedCall({ method: 'GET' })).status).toBe(400);
    expect(call.target.connections).toBe(0);
    expect(await accessLog(call.service)).toEqual([]);

    await change(call, { enabled: true });
    expect((await call.call()).status).toBe(200);
  });

  test('stored: unknown, deleted, of another environment or tenant is 404, and 401 without a key', async (call) => {
    const other = await call.service.key({ tenant: 'acme' });
    const body = 'nothing';

    expect((await call.refusedStored(UNKNOWN, { body })).status).toBe(404);
    expect((await call.refusedStored(call.id, { body, as: LIVE_KEY })).status).toBe(404);
    expect((await call.refusedStored(call.id, { body, as: other })).status).toBe(404);
    expect((await call.refusedStored(call.id, { body, as: null })).status).toBe(401);
    await call.service.call('DELETE /_kyclone/proxies/{id}', { params: { id: call.id } });
    expect((await call.refusedStored(call.id, { body })).status).toBe(404);
    expect(call.target.connections).toBe(0);
  });

  test('stored: the key of the call goes nowhere, not even where a configuration holds it', async (call) => {
    const key = await call.service.key();
    const secret_headers = { 'x-partner': `Token ${key}` };
    const { id } = await store(call.service, { url: call.target.url, secret_headers });

    const refused = await call.refusedStored(id, { body: 'x', as: key });

    expect([refused.status, refused.code]).toEqual([400, 'invalid_request']);
    expect(refused.message).not.toContain(key);
    expect(call.target.connections).toBe(0);
  });

  test('stored: a path is refused where the stored target has a query', async (call) => {
    const { id } = await store(call.service, { url: `${call.target.url}/?a=1` });

    const refused = await call.refusedStored(id, { body: 'x', pathAndQuery: 'b' });

    expect(refused.message).toBe('url of the proxy configuration holds a query, beside x-fp-path-and-query');
  });

  test('stored: words beside the ids stay endpoints, and other words are no path', async (call) => {
    expect((await call.refusedJit({ target: undefined, body: 'x' })).message).toContain(
      'x-fp-proxy-target-url is missing',
    );
    for (const path of ['jitt', 'proxy_id_', 'whk_0000000000000000000000']) {
      const reply = await call.service.send({ method: 'POST', path: `/vault_proxy/${path}`, body: 'x' });
      expect(reply.status, path).toBe(404);
      expect(reply.text).toContain('No endpoint');
    }
    const get = await call.service.send({ method: 'GET', path: `/vault_proxy/${call.id}` });
    expect([get.status, get.headers['allow']]).toEqual([405, 'POST']);
  });
});

describe('records of the call', () => {
  test('stored: the explanation names headers and tokens, and holds no value', async () => {
    await using call = await aConfigured({
      headers: { 'x-version': 'two-22' },
      secret_headers: { authorization: SECRET },
    });

    const reply = await call.call({ forward: { 'x-own': 'mine-33' } });
    const [explanation, entry] = [await call.explain(reply), await call.journal(reply)];

    expect(explanation.target).toBe(`${call.target.url}/`);
    expect([...explanation.headers.forwarded].sort()).toEqual(['authorization', 'x-own', 'x-version']);
    expect(explanation.headers.stripped).toContain('x-fp-id');
    expect(explanation.headers.stripped).not.toContain('x-fp-proxy-target-url');
    expect(explanation.tokens).toMatchObject([{ token: `${call.user}.id.city`, found: true }]);
    expect(entry).toMatchObject({ route: '/vault_proxy/{proxy_id}', status: 200 });
    expect(entry.proxy).toMatchObject({ url: `${call.target.url}/`, status: 200 });
    const recorded = JSON.stringify([explanation, entry, call.service.log]);
    for (const value of ['canary-4711', 'two-22', 'mine-33']) expect(recorded).not.toContain(value);
  });

  test('stored: a call that was refused for its configuration is explained, too', async () => {
    await using call = await aConfigured({ enabled: false });

    const refused = await call.refusedCall();

    expect((await call.explain(refused)).hints).toEqual(['conflict: The proxy configuration is disabled']);
  });
});
