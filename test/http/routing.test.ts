import { expect } from 'vitest';
import { asRefusal } from '../support/service.ts';
import { test } from '../support/test-with.ts';
import { words } from '../support/words.ts';

test.eachWith([
  `/_kyclone/nowhere/${'x'.repeat(600)}`,
  ...words`
    /nowhere /user /users/vaults/x/y /_kyclone /_kyclone/ /_kyclone/nowhere //users /users//vault /USERS
    /users/%zz /users/%e0%a4%a /users/x/% /users/..%2f_kyclone%2finfo
  `,
])('routing: %s is 404 for everybody', async (service, path) => {
  for (const method of ['GET', 'POST', 'DELETE', 'PROPFIND']) {
    const answer = asRefusal(await service.send({ method, path, as: null }), path);
    expect(answer, method).toMatchObject({ status: 404, code: 'not_found' });
    expect(answer.message).not.toContain('%');
  }
});

test('routing: / leads a browser to the docs page, past the checks of host and origin, and takes nothing else', async (service) => {
  for (const method of ['GET', 'HEAD']) {
    const reply = await service.send({ method, path: '/?x=1', as: null });
    expect([reply.status, reply.headers['location'], reply.text]).toEqual([302, '/_kyclone/docs', '']);
    expect(reply.headers).toMatchObject({ 'cache-control': 'no-store' });
    const id = reply.headers['x-request-id'] ?? '';
    const { body } = await service.call('GET /_kyclone/requests/{id}', { params: { id } });
    expect(body).toMatchObject({ method, path: '/?x=***', status: 302 });
  }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
    const refused = asRefusal(await service.send({ method, path: '/', as: null }), method);
    expect(refused, method).toMatchObject({ status: 404, code: 'not_found' });
  }
  const headers = { origin: 'https://foreign.example' };
  expect((await service.send({ method: 'GET', path: '/', headers, as: null })).status).toBe(403);
  const foreign = await service.send({
    method: 'GET',
    path: '/',
    headers: { host: 'evil.example' },
    as: null,
  });
  expect(foreign.status).toBe(421);
});

test('routing: a path that cannot be decoded passes the guards first and is in the journal', async (service) => {
  const path = '/users/%zz';

  expect((await service.send({ method: 'GET', path, headers: { host: 'evil.example' } })).status).toBe(421);
  const reply = await service.send({ method: 'GET', path });
  const id = reply.headers['x-request-id'] ?? '';

  const { body } = await service.call('GET /_kyclone/requests/{id}', { params: { id } });
  expect(body).toMatchObject({ path: '/users/***', route: null, status: 404, code: 'not_found' });
});

test('routing: an unknown path is 404 however large or odd its body is', async (service) => {
  for (const headers of [{}, { 'content-type': 'nonsense' }, { 'content-type': 'text/plain' }]) {
    const reply = await service.send({
      method: 'POST',
      path: '/nowhere',
      headers,
      body: ' '.repeat(3 * 2 ** 20),
    });
    expect(asRefusal(reply, 'POST /nowhere')).toMatchObject({ status: 404, code: 'not_found' });
  }
});

test('routing: a wrong method is 405 however large its body is', async (service) => {
  const reply = await service.send({ method: 'PUT', path: '/users', body: ' '.repeat(3 * 2 ** 20) });

  const { status, headers } = asRefusal(reply, 'PUT /users');
  expect([status, headers['allow']?.split(', ').sort()]).toEqual([405, ['GET', 'HEAD', 'POST']]);
});
