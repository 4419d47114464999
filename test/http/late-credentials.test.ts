/** A credential that is taken away while the body of its request comes is refused (contract §0.3). */
import { expect } from 'vitest';
import { type TestService } from '../support/service.ts';
import { parseAnswers } from '../support/raw-socket.ts';
import { headOf, openClient } from '../support/slow-clients.ts';
import { test } from '../support/test-with.ts';
import { until } from '../support/uploads.ts';

type Place = Awaited<ReturnType<TestService['listen']>>;

interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends the head and half of the body, and the rest after `meanwhile`. Returns status and code of the answer. */
async function sendLate(
  place: Place,
  { method, path, headers, body }: Call,
  meanwhile: () => Promise<unknown>,
) {
  const half = Math.floor(body.length / 2);
  const head = {
    'content-type': 'application/json',
    expect: '100-continue',
    connection: 'close',
    ...headers,
  };
  const client = await openClient(
    place,
    headOf(place, `${method} ${path}`, { 'content-length': body.length, ...head }),
  );
  // The daemon has judged the head.
  await until(() => client.received() !== '');
  client.socket.write(body.slice(0, half));
  await meanwhile();
  client.socket.write(body.slice(half));
  await client.closed;
  const [answer] = parseAnswers(client.received());
  return [answer?.status, (JSON.parse(answer?.text ?? '{}') as { code?: string }).code];
}

const PERMISSIONS = ['entities.write', 'vault.write', 'decrypt:*', 'onboard', 'review', 'proxy'];

const CALLS: Readonly<Record<string, (user: string) => Omit<Call, 'headers'> & { readonly type?: string }>> =
  {
    'a vault write': (user) => ({
      method: 'PATCH',
      path: `/users/${user}/vault`,
      body: '{"id.first_name": "Other"}',
    }),
    'a decryption': (user) => ({
      method: 'POST',
      path: `/users/${user}/vault/decrypt`,
      body: '{"fields": ["id.first_name"], "reason": "a test"}',
    }),
    'a new user': () => ({ method: 'POST', path: '/users', body: '{"id.first_name": "Other"}' }),
    'a session': () => ({
      method: 'POST',
      path: '/onboarding/session',
      body: '{"key": "pb_test_kycdefault000000000000"}',
    }),
    'an upload': (user) => ({
      method: 'POST',
      path: `/users/${user}/vault/document.passport.front.image/upload`,
      body: 'not an image, but bytes',
      type: 'image/png',
    }),
  };

const ENDS: Readonly<Record<string, (service: TestService, id: string) => Promise<unknown>>> = {
  deleted: (service, id) => service.call('DELETE /_kyclone/api-keys/{id}', { params: { id } }),
  disabled: (service, id) =>
    service.call('PATCH /_kyclone/api-keys/{id}', { params: { id }, body: { enabled: false } }),
  'left without permissions': (service, id) =>
    service.call('PATCH /_kyclone/api-keys/{id}', { params: { id }, body: { permissions: [] } }),
};

test.eachWith(Object.keys(CALLS).flatMap((call) => Object.keys(ENDS).map((end) => [call, end] as const)))(
  '%s whose key is %s before the body is complete is refused',
  async (service, call, end) => {
    const user = await service.user({ 'id.first_name': 'Jane' });
    const place = await service.listen();
    const { body: made } = await service.call('POST /_kyclone/api-keys', {
      body: { name: 'late', tenant: 'default', permissions: PERMISSIONS },
    });
    const { secret_key_header } = (await service.call('GET /_kyclone/settings')).body.vocabulary;
    const { type, ...late } = CALLS[call]?.(user) ?? { method: '', path: '', body: '' };
    const headers = { [secret_key_header]: made.key, ...(type !== undefined && { 'content-type': type }) };

    const answer = await sendLate(
      place,
      { ...late, headers },
      () => ENDS[end]?.(service, made.id) ?? Promise.resolve(),
    );

    expect(answer).toEqual(
      end === 'left without permissions' ? [403, 'permission_denied'] : [401, 'unauthenticated'],
    );
  },
);

test('a decryption whose token is revoked before the body is complete is refused', async (service) => {
  const user = await service.user({ 'id.first_name': 'Jane' });
  const token = await service.token(user, { scope: 'decrypt', fields: ['id.first_name'] });
  const place = await service.listen();
  const [{ id } = { id: '' }] = (
    await service.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id: user } })
  ).body.tokens;
  const answer = await sendLate(
    place,
    {
      method: 'POST',
      path: '/users/vault/decrypt',
      headers: { 'x-fp-authorization': token },
      body: '{"fields": ["id.first_name"], "reason": "a test"}',
    },
    () => service.call('DELETE /_kyclone/tokens/{id}', { params: { id } }),
  );
  expect(answer).toEqual([401, 'unauthenticated']);
});
