/** Many clients call the real daemon at once, over sockets. */
import { Agent } from 'node:http';
import { expect, test } from 'vitest';
import { startKycloned, type CallOptions, type Response } from '../support/kycloned.ts';
import '../support/tier-all.ts';

const CLIENTS = 50;

async function aDaemon() {
  const daemon = await startKycloned();
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const call = (method: string, path: string, options: CallOptions = {}) =>
    daemon.call(method, path, { ...options, agent });
  const together = (make: (index: number) => Promise<Response>) =>
    Promise.all(Array.from({ length: CLIENTS }, (_, index) => make(index)));
  return { daemon, call, together };
}

const decryptBody = (fields: string[]) => ({ fields, reason: 'a test' });

test('PATCH vault: writes that exclude each other leave one of the two, never both', async () => {
  const { call, together } = await aDaemon();
  const id = (await call('POST', '/users')).body['id'] as string;
  const written = await together((index) =>
    call('PATCH', `/users/${id}/vault`, {
      body: index % 2 === 0 ? { 'id.ssn9': '078051120' } : { 'id.itin': '912701234' },
    }),
  );
  const refused = written.filter(({ status }) => status !== 200);
  for (const { status, body } of refused)
    expect({ status, ...body }).toMatchObject({ status: 400, code: 'T120' });
  expect(refused).toHaveLength(CLIENTS / 2);
  const { body, headers } = await call('GET', `/users/${id}/vault`, {});
  expect(headers['x-fp-vault-version']).toBe('1');
  expect(Boolean(body['id.ssn9']) !== Boolean(body['id.itin'])).toBe(true);
});

test('PATCH /users: one external id for fifty users at once goes to one', async () => {
  const { call, together } = await aDaemon();
  const made = await together(() => call('POST', '/users'));
  const body = { external_id: 'customer-1' };
  const changed = await together((index) =>
    call('PATCH', `/users/${made[index]?.body['id'] as string}`, { body }),
  );
  const refused = changed.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(CLIENTS - 1);
  for (const each of refused) expect(each.body['code']).toBe('external_id_taken');
});

test('DELETE /users: against writes and reads at once, every answer is one of the contract', async () => {
  const { call, together } = await aDaemon();
  const id = (await call('POST', '/users', { body: { 'id.first_name': 'Jane' } })).body['id'] as string;
  const answers = await together((index) => {
    if (index === CLIENTS / 2) return call('DELETE', `/users/${id}`);
    if (index % 2 === 0) return call('PATCH', `/users/${id}/vault`, { body: { 'custom.n': index } });
    return call('POST', `/users/${id}/vault/decrypt`, { body: decryptBody(['id.first_name']) });
  });
  expect(answers[CLIENTS / 2]?.status).toBe(200);
  for (const { status } of answers) expect([200, 404]).toContain(status);
  expect((await call('GET', `/users/${id}`)).status).toBe(404);
});
