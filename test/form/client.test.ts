import type { RequestListener } from 'node:http';
import { describe, expect, test } from 'vitest';
import { vaultClient } from '../../src/form/client.ts';
import { VaultError } from '../../src/form/errors.ts';
import { answerJson, loopbackServer, type SeenRequest } from '../support/loopback.ts';

const TOKEN = 'cttok_test';

/** Makes a call to a service that gives this response; returns the request that the service received. */
async function asked(
  call: (client: ReturnType<typeof vaultClient>) => Promise<unknown>,
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
  test('write: patches the vault with the values as JSON, the token in its header', async () => {
    const { request } = await asked((client) => client.write({ 'id.first_name': 'Ada', 'id.dob': null }));

    expect(request).toMatchObject({ method: 'PATCH', url: '/users/vault' });
    expect(request.headers).toMatchObject({
      'x-fp-authorization': TOKEN,
      'content-type': 'application/json',
    });
    expect(JSON.parse(request.body)).toEqual({ 'id.first_name': 'Ada', 'id.dob': null });
  });

  test('validate: posts the values to be checked', async () => {
    const { request } = await asked((client) => client.validate({ 'custom.seats': 2 }));

    expect(request).toMatchObject({ method: 'POST', url: '/users/vault/validate' });
    expect(JSON.parse(request.body)).toEqual({ 'custom.seats': 2 });
  });

  test('decrypt: asks for fields with reason and transforms and gives the values', async () => {
    const { request, answer } = await asked(
      (client) => client.decrypt({ fields: ['id.dob'], reason: 'support', transforms: ['to_upper'] }),
      answerJson(200, { 'id.dob': '1990-01-01' }),
    );

    expect(request).toMatchObject({ method: 'POST', url: '/users/vault/decrypt' });
    expect(JSON.parse(request.body)).toEqual({
      fields: ['id.dob'],
      reason: 'support',
      transforms: ['to_upper'],
    });
    expect(answer).toEqual({ 'id.dob': '1990-01-01' });
  });

  test('decrypt: asks for all of the token when nothing is named', async () => {
    const { request } = await asked((client) => client.decrypt());

    expect(JSON.parse(request.body)).toEqual({});
  });

  test('upload: sends the bytes under the content type of the file', async () => {
    const file = new Blob(['GIF89a'], { type: 'image/gif' });
    const { request } = await asked((client) => client.upload('document.visa.front.image', file));

    expect(request).toMatchObject({
      method: 'POST',
      url: '/users/vault/document.visa.front.image/upload',
      body: 'GIF89a',
    });
    expect(request.headers['content-type']).toBe('image/gif');
  });

  test('upload: a file without a type goes as octets', async () => {
    const { request } = await asked((client) => client.upload('custom.scan', new Blob(['x'])));

    expect(request.headers['content-type']).toBe('application/octet-stream');
  });

  test('upload: an identifier stays one segment of the path', async () => {
    const { request } = await asked((client) => client.upload('custom.a/../b?c', new Blob(['x'])));

    expect(request.url).toBe('/users/vault/custom.a%2F..%2Fb%3Fc/upload');
  });

  test('VaultError: carries code, status, message and context of a refusal', async () => {
    const context = { 'id.ssn9': 'invalid length' };
    const error = await refused(
      answerJson(400, { code: 'T120', message: 'Vault data is not valid: id.ssn9', context }),
    );

    const { code, status, message } = error;
    expect({ code, status, message, context: error.context }).toEqual({
      code: 'T120',
      status: 400,
      message: 'Vault data is not valid: id.ssn9',
      context,
    });
  });

  test('VaultError: a refusal without context has an empty one', async () => {
    const error = await refused(answerJson(401, { code: 'token_expired', message: 'The token has expired' }));

    expect(error).toMatchObject({ code: 'token_expired', status: 401 });
    expect(error.context).toEqual({});
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
