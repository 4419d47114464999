/** The request journal (contract §11): what it stores, and what it never stores. */
import { describe, expect } from 'vitest';
import { aUser } from '../../support/builders.ts';
import { HOST, LIVE_KEY, NOON, SANDBOX_KEY, type TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

const list = async (service: TestService, query: Record<string, string | number> = {}) =>
  (await service.call('GET /_kyclone/requests', { query })).body;
const entry = async (service: TestService, id: string) =>
  (await service.call('GET /_kyclone/requests/{id}', { params: { id } })).body;

describe('an entry', () => {
  test('requests: shows route, status, key, tenant and environment, bodies masked', async (service) => {
    const keys = (await service.call('GET /_kyclone/api-keys', { query: { environment: 'live' } })).body.data;
    const { requestId, body } = await service.call('POST /users', {
      as: LIVE_KEY,
      body: {
        'id.first_name': 'Jane',
        'id.ssn9': '121121212',
        'id.city': 'Enclave',
        'custom.flag': true,
        'custom.o': {},
      },
    });

    expect(await entry(service, requestId)).toEqual({
      id: requestId,
      at: new Date(NOON).toISOString(),
      method: 'POST',
      path: '/users',
      route: '/users',
      status: 200,
      code: null,
      ms: expect.any(Number) as number,
      faults: [],
      key_id: keys[0]?.id,
      tenant: 'default',
      environment: 'live',
      request: {
        'id.first_name': 'J***',
        'id.ssn9': '***1212',
        'id.city': 'Enclave',
        'custom.flag': '<boolean>',
        'custom.o': '<object 0>',
      },
      response: { id: body.id, external_id: null },
    });
  });

  test('requests: a decryption shows masks and no reason', async (service) => {
    const fp_id = await service.user(aUser({ 'custom.flag': true }));
    const fields = ['id.ssn9', 'id.email:1', 'custom.flag'];
    const { requestId } = await service.call('POST /users/{fp_id}/vault/decrypt', {
      params: { fp_id },
      body: { fields, reason: 'Jane Doe called', transforms: ['to_ascii'] },
    });

    expect(await entry(service, requestId)).toMatchObject({
      route: '/users/{fp_id}/vault/decrypt',
      request: { fields, reason: '<string>', transforms: '<list 1>' },
      response: { 'id.ssn9': '***1212', 'id.email:1': 'w***@oyelaran.example', 'custom.flag': '<string>' },
    });
  });

  test('requests: a decrypted boolean is a value like any other', async (service) => {
    const fp_id = await service.user({ 'custom.flag': true });
    const { requestId } = await service.call('POST /users/{fp_id}/vault/decrypt', {
      params: { fp_id },
      body: { fields: ['custom.flag'], reason: 'a test' },
    });

    expect((await entry(service, requestId)).response).toEqual({ 'custom.flag': '<boolean>' });
  });

  test('requests: presence is shown, since it reveals no value', async (service) => {
    const fp_id = await service.user({ 'id.city': 'Enclave' });
    const { requestId } = await service.call('GET /users/{fp_id}/vault', { params: { fp_id } });

    expect(await entry(service, requestId)).toMatchObject({ request: null, response: { 'id.city': true } });
  });

  test('requests: a failure shows its code, an unknown path no route', async (service) => {
    await service.send({ method: 'GET', path: '/nowhere', as: null });
    const [latest] = (await list(service)).data;

    expect(latest).toMatchObject({
      status: 404,
      code: 'not_found',
      route: null,
      tenant: null,
      environment: null,
      response: { code: 'not_found', message: expect.any(String) as string },
    });
    expect(latest).not.toHaveProperty('key_id');
  });

  test('requests: a failure of a call that holds values shows its context, which has names only', async (service) => {
    const body = { 'id.dob': 'yesterday' };
    const { headers, context } = await service.refused('POST /users', { body });

    const { response } = await entry(service, headers['x-request-id'] ?? '');
    expect(response).toMatchObject({ code: 'T120', context });
    expect(Object.keys(context ?? {})).toEqual(['id.dob']);
  });

  test('requests: query values are masked, names are not', async (service) => {
    await service.send({ method: 'GET', path: '/users?external_id=customer-1&page_size=5&secret' });

    expect((await list(service)).data[0]?.path).toBe('/users?external_id=***&page_size=***&secret=***');
  });

  test('requests: no credential and no code is kept', async (service) => {
    const created = await service.call('POST /_kyclone/api-keys', {
      body: { key: `sk_test_${'f'.repeat(32)}` },
    });
    const slot = await service.call('POST /_kyclone/keyring/slots', { body: { kind: 'recovery' } });
    await service.call('POST /_kyclone/keyring/slots', {
      body: { kind: 'passphrase', passphrase: 'correct horse' },
    });
    await service.call('GET /users', { as: created.body.key });

    const { text } = await service.send({ method: 'GET', path: '/_kyclone/requests?page_size=100' });

    for (const secret of [SANDBOX_KEY, created.body.key, slot.body.recovery_code ?? '?', 'correct horse']) {
      expect(text).not.toContain(secret);
    }
  });

  test('requests: a credential in place of a name is neither kept nor shown', async (service) => {
    const fp_id = await service.user();
    const token = await service.token(fp_id, { scope: 'vault_and_decrypt', fields: ['id.city'] });
    const key = SANDBOX_KEY;

    for (const secret of [token, key]) {
      const bodies = { [secret]: 'x', data: { [secret]: secret }, fields: [secret] };
      const answers = [
        await service.refused('PATCH /users/vault', { as: token, body: { [secret]: 'x' } }),
        await service.refused('POST /users/vault/decrypt', {
          as: token,
          body: { fields: [secret], reason: 'x' },
        }),
        await service.refused('POST /users', { body: bodies }),
        await service.refused('POST /users/vault/{identifier}/upload', {
          params: { identifier: secret },
          as: token,
          body: Buffer.from('x'),
        }),
      ];
      for (const { message } of answers) expect(message).not.toContain(secret);
    }

    const { text } = await service.send({ method: 'GET', path: '/_kyclone/requests?page_size=100' });
    for (const secret of [token, key]) expect(text).not.toContain(secret);
  });

  test('requests: a misplaced identifier map is not shown', async (service) => {
    const body = {
      data: { 'id.ssn9': '121121212' },
      message: 'Wilhelmina',
      fields: ['121-12-1212', 'id.city'],
    };
    await service.refused('POST /users', { body });

    expect((await list(service)).data[0]?.request).toEqual({
      data: '<object 1>',
      message: '<string>',
      fields: ['<string>', 'id.city'],
    });
  });

  test('requests: a body nested as deep as it is long can be listed', async (service) => {
    const deep = '['.repeat(10_000) + ']'.repeat(10_000);
    for (const member of ['data', 'context', 'meta', 'custom.x']) {
      await service.send({ method: 'POST', path: '/users', body: `{"${member}":${deep}}` });
    }

    expect((await list(service)).data).toHaveLength(4);
  });
});

describe('the list', () => {
  test('requests: keeps the last 2,000', async (service) => {
    const first = await service.call('GET /_kyclone/clock');
    const more = {
      method: 'GET',
      url: '/users/fp_id_x',
      headers: { host: HOST, 'x-service-secret-key': SANDBOX_KEY },
    } as const;
    for (let number = 0; number < 1998; number++) await service.inject(more);
    const last = await service.call('GET /_kyclone/clock');
    expect((await entry(service, first.requestId)).id).toBe(first.requestId);

    await service.call('GET /_kyclone/clock');

    expect((await list(service)).meta.count).toBe(2000);
    expect(
      (await service.refused('GET /_kyclone/requests/{id}', { params: { id: first.requestId } })).status,
    ).toBe(404);
    expect((await entry(service, last.requestId)).id).toBe(last.requestId);
  });

  test.eachWith<[query: Record<string, string | number>, paths: string[]]>([
    [{ method: 'post' }, ['/users', '/businesses']],
    [{ status: 404 }, ['/nowhere']],
    [{ path: '/users' }, ['/users?external_id=***', '/users']],
    [{ path: '/users/' }, ['/users?external_id=***', '/users']],
    [{ path: '/*' }, ['/users?external_id=***', '/nowhere', '/users', '/businesses']],
    [{ path: '/_kyclone/**' }, ['/_kyclone/health']],
    [{ path: '/**/health' }, ['/_kyclone/health']],
    [{ path: '/users', method: 'GET' }, ['/users?external_id=***']],
    [{ since: '2026-03-01T12:00:01Z' }, ['/users?external_id=***', '/_kyclone/health']],
    [{ status: 500 }, []],
  ])('requests: %j', async (service, query, paths) => {
    await service.business({});
    await service.user({});
    await service.send({ method: 'GET', path: '/nowhere' });
    service.clock.advance(1000);
    await service.call('GET /_kyclone/health');
    await service.call('GET /users', { query: { external_id: 'customer-1' } });

    const { data, meta } = await list(service, query);

    expect(data.map(({ path }) => path)).toEqual(paths);
    expect(meta.count).toBe(paths.length);
  });

  test('requests: is emptied by DELETE', async (service) => {
    await service.user();

    expect((await service.call('DELETE /_kyclone/requests')).body).toEqual({});

    expect((await list(service)).data.map(({ method }) => method)).toEqual(['DELETE']);
  });
});
