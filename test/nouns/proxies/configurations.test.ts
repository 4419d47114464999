/** Stored proxy configurations: created, read, updated, deleted, and what is refused (contract §3.4, §11). */
import { describe, expect } from 'vitest';
import { createAuthority } from '../../../src/cli/echo/authority.ts';
import { failureOf, type TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';
import { read, SECRET, store, type NewConfiguration } from './a-configuration.ts';

const LIST = 'GET /_kyclone/proxies';
const CREATE = 'POST /_kyclone/proxies';
const CHANGE = 'PATCH /_kyclone/proxies/{id}';
const URL = 'https://api.example.com/checks';

const authority = await createAuthority('a root', Date.now());
const [client, other] = [
  await authority.issue({ subject: 'caller', usage: 'client' }),
  await authority.issue({ subject: 'another', usage: 'client' }),
];

const whole = (): NewConfiguration => ({
  name: 'Checks',
  url: URL,
  method: 'PUT',
  access_reason: 'credit check',
  headers: { 'X-Version': '2' },
  secret_headers: { Authorization: SECRET, 'x-other': 'canary-2' },
  client_identity: client,
  pins: [authority.certificate],
  ingress: {
    content_type: 'application/json',
    rules: [
      { token: 'custom.score', target: '$.score' },
      { token: 'fp_id_x.id.city', target: '$.city | to_uppercase' },
    ],
  },
  enabled: true,
});

const change = async (service: TestService, id: string, body: object) =>
  (await service.call(CHANGE, { params: { id }, body })).body;

describe('made and read', () => {
  test('create: answers everything but the secrets, and so do get and list', async (service) => {
    const made = await store(service, whole());

    expect(made).toEqual({
      ...whole(),
      id: expect.stringMatching(/^proxy_id_[0-9A-Za-z]{22}$/) as string,
      secret_headers: { Authorization: '***', 'x-other': '***' },
      client_identity: {
        subject: 'CN=caller',
        expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      },
      tenant: 'default',
      environment: 'sandbox',
      created_at: '2026-03-01T12:00:00.000Z',
    });
    expect(await read(service, made.id)).toEqual(made);
    expect((await service.call(LIST)).body).toEqual({ data: [made], meta: { count: 1, next: null } });
  });

  test('create: a URL is enough', async (service) => {
    const { id, created_at, ...made } = await store(service, { url: URL });

    expect(made).toEqual({
      name: 'api.example.com',
      url: URL,
      method: 'POST',
      access_reason: '',
      headers: {},
      secret_headers: {},
      pins: [],
      ingress: { content_type: 'json', rules: [] },
      tenant: 'default',
      environment: 'sandbox',
      enabled: true,
    });
    expect(id.length + created_at.length).toBeGreaterThan(50);
  });

  test('list: newest first, page by page', async (service) => {
    const ids: string[] = [];
    for (const name of ['one', 'two', 'three']) ids.unshift((await store(service, { url: URL, name })).id);

    const first = (await service.call(LIST, { query: { page_size: 2 } })).body;
    const query = { page_size: 2, cursor: first.meta.next ?? '' };
    const second = (await service.call(LIST, { query })).body;

    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids);
    expect([first.meta.count, second.meta.next]).toEqual([3, null]);
    expect((await service.refused(LIST, { query: { cursor: 'nonsense' } })).status).toBe(400);
  });

  test('proxies: each tenant and environment has its own', async (service) => {
    await service.key({ tenant: 'acme' });
    await store(service, whole());
    const acme = await store(service, { url: URL }, { tenant: 'acme' });
    const live = await store(service, { url: URL }, { environment: 'live' });

    expect([acme.tenant, live.environment]).toEqual(['acme', 'live']);
    for (const query of [{ tenant: 'acme' }, { environment: 'live' as const }]) {
      expect((await service.call(LIST, { query })).body.meta.count).toBe(1);
    }
  });

  test('delete: removes it, and is 404 a second time', async (service) => {
    const { id } = await store(service, whole());
    const parts = { params: { id } };

    expect((await service.call('DELETE /_kyclone/proxies/{id}', parts)).body).toEqual({});
    expect((await service.refused('DELETE /_kyclone/proxies/{id}', parts)).status).toBe(404);
    expect((await service.refused('GET /_kyclone/proxies/{id}', parts)).status).toBe(404);
  });
});

describe('changed', () => {
  test('change: replaces the given members, keeps the rest', async (service) => {
    const made = await store(service, whole());

    const changed = await change(service, made.id, { method: 'GET', headers: { a: '1' }, enabled: false });

    expect(changed).toEqual({ ...made, method: 'GET', headers: { a: '1' }, enabled: false });
    expect(await change(service, made.id, {})).toEqual(changed);
    expect((await change(service, made.id, { client_identity: other })).client_identity?.subject).toBe(
      'CN=another',
    );
  });

  test('change: null removes the client identity, and empty values the others', async (service) => {
    const made = await store(service, whole());
    const nothing = { access_reason: '', headers: {}, secret_headers: {}, pins: [], ingress: { rules: [] } };

    const { client_identity, ...changed } = await change(service, made.id, {
      ...nothing,
      client_identity: null,
    });

    expect(client_identity).toBeUndefined();
    expect(changed).toMatchObject({ ...nothing, ingress: { content_type: 'json', rules: [] } });
  });

  test('change: accepts the members of a response, and keeps the secrets', async (service) => {
    const { id, tenant, environment, created_at, client_identity, ...shown } = await store(service, whole());

    const secret_headers = { ...shown.secret_headers, 'x-new': 'third' };
    const changed = await change(service, id, { ...shown, secret_headers });

    expect(changed).toMatchObject({ tenant, environment, created_at, client_identity });
    expect(Object.keys(changed.secret_headers)).toEqual(['Authorization', 'x-other', 'x-new']);
  });
});

describe('changed to another origin', () => {
  const ELSEWHERE = [
    'https://api.example.org/checks',
    'https://api.example.com:8443/checks',
    'http://api.example.com/checks',
  ];

  test.eachWith(ELSEWHERE)(
    'change to %s: the secrets of the old one are gone, and *** stands for none',
    async (service, url) => {
      const { id, client_identity, ...made } = await store(service, { ...whole(), pins: [] });
      const { secret_headers } = made;
      const refused = await service.refused(CHANGE, { params: { id }, body: { url, secret_headers } });
      expect(refused).toMatchObject(failureOf(400, 'invalid_request', 'secret_headers.Authorization is ***'));
      expect(await read(service, id)).toEqual({ id, client_identity, ...made });
      expect(client_identity).toBeDefined();

      expect(await change(service, id, { url })).toEqual({ id, ...made, url, secret_headers: {} });
      // Neither does a change back bring them back.
      expect(await change(service, id, { url: URL })).toEqual({ id, ...made, secret_headers: {} });
    },
  );

  test('change: secrets of the same request are stored for the new origin', async (service) => {
    const { id } = await store(service, whole());
    const body = {
      url: ELSEWHERE[0],
      secret_headers: { 'x-key': 'for the new one' },
      client_identity: other,
    };

    const changed = await change(service, id, body);

    expect(changed.secret_headers).toEqual({ 'x-key': '***' });
    expect(changed.client_identity?.subject).toBe('CN=another');
  });

  test.eachWith(['https://API.example.com:443/other?way=1', URL])(
    'change to %s: it is the same origin',
    async (service, url) => {
      const { id, ...made } = await store(service, whole());

      expect(await change(service, id, { url })).toEqual({ id, ...made, url });
    },
  );
});

const rules = (...list: { token: string; target: string }[]) => ({ ingress: { rules: list } });
const RULE = { token: 'custom.a', target: '$.a' };

describe('refusals', () => {
  test.eachWith<[message: string, body: object]>([
    ['url holds user info', { url: 'https://me:canary@example.com/' }],
    ['url must be an http or https URL', { url: 'ftp://example.com/' }],
    ['headers.Host has a name', { headers: { Host: 'canary' } }],
    ['headers.x-service-secret-key', { headers: { 'x-service-secret-key': 'canary' } }],
    ['secret_headers.a holds', { secret_headers: { a: 'canary\r\nb: c' } }],
    ['headers.content-type', { headers: { 'content-type': 'canary' } }],
    ['headers names a a second time', { headers: { a: '1', A: '2' } }],
    ['secret_headers names a', { headers: { a: '1' }, secret_headers: { A: '2' } }],
    ['secret_headers.a is ***', { secret_headers: { a: '***' } }],
    ['pins holds no PEM block', { pins: ['canary'] }],
    [
      'client_identity.key does not match the certificate of client_identity.certificate',
      { client_identity: { ...client, key: other.key } },
    ],
    ['rule 1: its identifier is unknown', rules({ token: 'id.shoe_size', target: '$.a' })],
    ['ingress.rules: rule 2: ', rules(RULE, { token: 'custom.b', target: 'canary' })],
    ['rule 1: it holds more than one rule', rules({ token: 'custom.a', target: '$.a, custom.b=$.b' })],
    ['ingress.rules[0].token', rules({ token: 'custom.a=$.a,custom.b', target: '$.b' })],
  ])('create and change: 400: %s', async (service, message, body) => {
    const { id } = await store(service, { url: URL });
    const before = await read(service, id);

    for (const refusal of [
      await service.refused(CREATE, { body: { url: URL, ...body } }),
      await service.refused(CHANGE, { params: { id }, body }),
    ]) {
      expect(refusal).toMatchObject(failureOf(400, 'invalid_request', message));
      expect(refusal.message).not.toContain('canary');
    }
    expect(await read(service, id)).toEqual(before);
    expect((await service.call(LIST)).body.meta.count).toBe(1);
  });

  test('create: an unknown transform of a rule names the rule', async (service) => {
    const body = { url: URL, ...rules(RULE, { token: 'custom.b', target: '$.b | to_morse' }) };

    const refusal = await service.refused(CREATE, { body });

    expect(refusal).toMatchObject(failureOf(400, 'transform_invalid', 'ingress.rules: rule 2: '));
  });

  test('change: the whole is judged, not the change alone', async (service) => {
    const { id } = await store(service, whole());

    const refusal = await service.refused(CHANGE, { params: { id }, body: { url: 'http://localhost:1/' } });

    expect(refusal).toMatchObject({ status: 400, code: 'invalid_request' });
    expect((await read(service, id)).url).toBe(URL);
  });

  test('create: names that objects give a meaning to are headers like any other', async (service) => {
    const reply = await service.send({
      method: 'POST',
      path: '/_kyclone/proxies',
      body: `{"url": "${URL}", "headers": {"__proto__": "a"}, "secret_headers": {"constructor": "b"}}`,
      headers: { 'content-type': 'application/json' },
    });

    expect(reply.status).toBe(200);
    expect(reply.text).toContain('"__proto__":"a"');
    expect(reply.text).toContain('"constructor":"***"');
  });
});
