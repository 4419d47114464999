import type { RequestListener } from 'node:http';
import { describe, expect, test } from 'vitest';
import { vaultClient, type VaultClient } from '../../src/form/client.ts';
import { VaultError } from '../../src/form/errors.ts';
import { answerJson, loopbackServer, type SeenRequest } from '../support/loopback.ts';

const TOKEN = 'cttok_test';

/** Makes a call to a service that gives this response; returns the request that the service received. */
async function asked(
  call: (client: VaultClient) => Promise<unknown>,
  answer: RequestListener = answerJson(200, {}),
): Promise<{ request: SeenRequest; answer: unknown }> {
  await using service = await loopbackServer(answer);
  const answered = await call(vaultClient({ baseUrl: `${service.url}/`, token: TOKEN }));
  const [request] = service.seen;
  if (!request) throw new Error('nothing was asked');
  return { request, answer: answered };
}

async function refused(answer: RequestListener): Promise<VaultError> {
  await using service = await loopbackServer(answer);
  return await failure(vaultClient({ baseUrl: service.url, token: TOKEN }).write({ 'id.ssn9': '12' }));
}

async function failure(call: Promise<unknown>): Promise<VaultError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof VaultError) return error;
  throw new Error('it did not fail with a VaultError');
}

describe('vaultClient', () => {
  const WRITTEN = { 'id.first_name': 'Ada', 'id.dob': null };
  const ASKED = { fields: ['id.dob'], reason: 'support', transforms: ['to_upper'] };
  const FILE = new Blob(['GIF89a'], { type: 'image/gif' });
  const JSON_TYPE = 'application/json';

  test.each<[string, (client: VaultClient) => Promise<unknown>, string, string, unknown]>([
    ['write: values', (client) => client.write(WRITTEN), 'PATCH /users/vault', JSON_TYPE, WRITTEN],
    [
      'validate: values',
      (client) => client.validate({ 'custom.seats': 2 }),
      'POST /users/vault/validate',
      JSON_TYPE,
      { 'custom.seats': 2 },
    ],
    ['decrypt: fields', (client) => client.decrypt(ASKED), 'POST /users/vault/decrypt', JSON_TYPE, ASKED],
    ['decrypt: all of the token', (client) => client.decrypt(), 'POST /users/vault/decrypt', JSON_TYPE, {}],
    [
      'upload: a file, under its type',
      (client) => client.upload('document.visa.front.image', FILE),
      'POST /users/vault/document.visa.front.image/upload',
      'image/gif',
      'GIF89a',
    ],
    [
      'upload: a file without a type; its identifier stays one segment of the path',
      (client) => client.upload('custom.a/../b?c', new Blob(['x'])),
      'POST /users/vault/custom.a%2F..%2Fb%3Fc/upload',
      'application/octet-stream',
      'x',
    ],
  ])('%s, with the token in its header', async (_, call, line, type, body) => {
    const { request } = await asked(call);

    expect(`${request.method} ${request.url}`).toBe(line);
    expect(request.headers).toMatchObject({ 'x-fp-authorization': TOKEN, 'content-type': type });
    expect(type === JSON_TYPE ? JSON.parse(request.body) : request.body).toEqual(body);
  });

  test('decrypt: gives the values', async () => {
    const values = { 'id.dob': '1990-01-01' };
    expect((await asked((client) => client.decrypt(ASKED), answerJson(200, values))).answer).toEqual(values);
  });

  test.each([
    [
      400,
      { code: 'T120', message: 'Vault data is not valid: id.ssn9', context: { 'id.ssn9': 'invalid length' } },
    ],
    [401, { code: 'token_expired', message: 'The token has expired', context: undefined }],
  ])('VaultError: carries code, status, message and context of a refusal with %i', async (status, body) => {
    const { code, status: found, message, context } = await refused(answerJson(status, body));

    expect({ code, message, context }).toEqual({ ...body, context: body.context ?? {} });
    expect(found).toBe(status);
  });

  test('VaultError: no answer is unreachable, of status 0', async () => {
    const error = await failure(vaultClient({ baseUrl: 'http://127.0.0.1:1', token: TOKEN }).validate({}));

    expect(error).toMatchObject({ code: 'unreachable', status: 0, context: {} });
  });

  test('VaultError: a token that no header can carry is not valid, and is not sent', async () => {
    await using service = await loopbackServer(answerJson(200, {}));
    const client = vaultClient({ baseUrl: service.url, token: 'cttok_abc…' });

    expect(await failure(client.validate({}))).toMatchObject({ code: 'unauthenticated', status: 0 });
    expect(service.seen).toEqual([]);
  });

  test('VaultError: an answer that breaks off is unreachable', async () => {
    const error = await refused((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{', () => response.destroy());
    });

    expect(error).toMatchObject({ code: 'unreachable', status: 0 });
  });

  test.each([
    ['text', 502, '<h1>Bad gateway</h1>'],
    ['JSON of another kind', 500, '"sorry"'],
    ['JSON null', 500, 'null'],
  ])('VaultError: a failure in %s is unreadable and keeps its status', async (_, status, body) => {
    const error = await refused((_request, response) => {
      response.writeHead(status);
      response.end(body);
    });

    expect(error).toMatchObject({ code: 'unreadable', status, context: {} });
  });

  test('VaultError: a redirect is not followed, for the token would go with it', async () => {
    await using elsewhere = await loopbackServer(answerJson(200, {}));
    const error = await refused((_, response) => {
      response.writeHead(307, { location: elsewhere.url });
      response.end();
    });

    expect(error.code).toBe('unreachable');
    expect(elsewhere.seen).toEqual([]);
  });

  test('fetch: a given one is called in place of the own, without a receiver', async () => {
    const receivers: unknown[] = [];
    const instead = function (this: unknown): Promise<Response> {
      receivers.push(this);
      return Promise.resolve(Response.json({ 'id.dob': null }));
    };
    const client = vaultClient({ baseUrl: 'http://nowhere.invalid', token: TOKEN, fetch: instead });

    expect(await client.decrypt({ reason: 'support' })).toEqual({ 'id.dob': null });
    expect(receivers).toEqual([undefined]);
  });
});
