/** Downloads of one datum with a token in the path (contract §2.6, §11). */
import { describe, expect } from 'vitest';
import { aPng, aUser } from '../../support/builders.ts';
import { openHandles } from '../../support/open-handles.ts';
import { asRefusal, startService } from '../../support/service.ts';
import { accessLog, tokensOf } from '../../support/vault-calls.ts';
import { test } from '../../support/test-with.ts';

const IMAGE = 'document.passport.front.image';
const ONE_PAGE = 'document.ssn_card.image';
const POLICY = "default-src 'none'; sandbox";

interface Asked {
  readonly method?: 'GET' | 'HEAD';
  readonly query?: string;
  readonly headers?: Record<string, string>;
}

/**
 * Makes a user and the download of one of her identifiers, with a token that holds `decrypt_reason` unless the reason
 * is null.
 */
async function aDownload(
  identifier: string,
  { data = {}, reason = 'a test' }: { data?: Record<string, unknown>; reason?: string | null } = {},
) {
  const service = await startService();
  const fp_id = await service.user(data);
  const minting = { scope: 'decrypt_download', fields: [identifier] };
  const token = await service.token(fp_id, {
    ...minting,
    ...(reason !== null && { decrypt_reason: reason }),
  });
  const [{ id: tokenId } = { id: '' }] = await tokensOf(service, fp_id).list();
  const get = ({ method = 'GET', query = '', headers = {} }: Asked = {}) =>
    service.send({ method, path: `/users/vault/decrypt/${token}${query}`, headers });
  return {
    service,
    fp_id,
    tokenId,
    get,
    refused: async (asked: Asked = {}) => asRefusal(await get(asked), identifier),
    upload: (bytes: Buffer, type?: string) => service.upload(fp_id, identifier, bytes, type),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

describe('a file', () => {
  test('download: gives the bytes as they came, to be saved and not to be shown', async () => {
    await using download = await aDownload(IMAGE);
    const bytes = aPng(300_000);
    await download.upload(bytes);

    const reply = await download.get();

    expect(reply.status).toBe(200);
    expect(reply.bytes.equals(bytes)).toBe(true);
    expect(reply.headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(bytes.length),
      'content-disposition': `attachment; filename="${IMAGE}"`,
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
  });

  test.each([
    ['text/html; charset=UTF-8', '<script>alert(1)</script>'],
    ['Image/SVG+XML; a="b;c"', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    ['application/javascript', 'alert(1)'],
  ])('download: %s keeps its type and may run nothing', async (type, text) => {
    await using download = await aDownload('document.custom.page');
    await download.upload(Buffer.from(text), type);

    const reply = await download.get();

    expect([reply.headers['content-type'], reply.text]).toEqual([type, text]);
    expect(reply.headers['content-disposition']).toMatch(/^attachment;/);
    expect(reply.headers['content-security-policy']).toBe(POLICY);
  });

  test('download: under the name that the token gives it', async () => {
    await using download = await aDownload(ONE_PAGE);
    await download.service.upload(download.fp_id, 'document.ssn_card.front.image', aPng());

    const reply = await download.get();

    expect(reply.bytes.equals(aPng())).toBe(true);
    expect(reply.headers['content-disposition']).toBe(`attachment; filename="${ONE_PAGE}"`);
  });

  test('download: under a name that is not plain', async () => {
    await using download = await aDownload('custom.Straße 5', { data: { 'custom.Straße 5': 'x' } });

    const reply = await download.get();

    expect(reply.text).toBe('x');
    expect(reply.headers['content-disposition']).toBe(
      `attachment; filename="file"; filename*=UTF-8''custom.Stra%C3%9Fe%205`,
    );
  });

  test('download: returns the current value, on every call, whole though a range is asked for', async () => {
    await using download = await aDownload(IMAGE);
    await download.upload(Buffer.from('one'));
    const texts = [(await download.get()).text, (await download.get()).text];
    await download.upload(Buffer.from('two'), 'image/gif');

    const reply = await download.get({ headers: { range: 'bytes=1-2' } });

    expect(reply.status).toBe(200);
    expect([...texts, reply.text]).toEqual(['one', 'one', 'two']);
    expect(reply.headers['content-type']).toBe('image/gif');
  });
});

describe('a value', () => {
  const text = 'text/plain; charset=utf-8';
  test.each([
    ['id.first_name', { 'id.first_name': 'Zoë' }, text, 'Zoë'],
    ['id.ssn4', { 'id.ssn9': '121121212' }, text, '1212'],
    ['card.a.issuer', { 'card.a.number': '4111111111111111' }, text, 'visa'],
    ['custom.text', { 'custom.text': '{"a":1}' }, text, '{"a":1}'],
    [
      'custom.object',
      { 'custom.object': { b: [1, null], a: 'ü' } },
      'application/json',
      '{"b":[1,null],"a":"ü"}',
    ],
    ['custom.flag', { 'custom.flag': false }, 'application/json', 'false'],
    ['id.citizenships', { 'id.citizenships': ['us'] }, 'application/json', '["US"]'],
  ])('download: %s', async (identifier, data, type, content) => {
    await using download = await aDownload(identifier, { data });

    const reply = await download.get();

    expect(reply.text).toBe(content);
    expect(reply.headers).toMatchObject({
      'content-type': type,
      'content-length': String(Buffer.byteLength(content)),
      'content-disposition': `attachment; filename="${identifier}"`,
      'content-security-policy': POLICY,
    });
  });

  test('download: the content type of a file is a text', async () => {
    await using download = await aDownload('document.passport.front.mime_type');
    await download.service.upload(download.fp_id, IMAGE, aPng());

    expect(await download.get()).toMatchObject({ text: 'image/png', headers: { 'content-type': text } });
  });

  test('download: of a business', async (service) => {
    const body = { scope: 'decrypt_download', fields: ['business.name'], decrypt_reason: 'a test' };
    const token = await service.token(await service.business(), body);

    const reply = await service.send({ method: 'GET', path: `/users/vault/decrypt/${token}` });

    expect(reply).toMatchObject({ status: 200, text: 'Acme Incorporated' });
  });
});

describe('absent data', () => {
  test('download: an absent datum is 404, in JSON and nothing to save', async () => {
    await using download = await aDownload(IMAGE);

    const { headers, ...refusal } = await download.refused();
    expect(refusal).toMatchObject({ status: 404, code: 'not_found' });
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(headers).not.toHaveProperty('content-disposition');
    await download.upload(aPng());
    expect((await download.get()).status).toBe(200);
    const params = { fp_id: download.fp_id };
    await download.service.call('DELETE /users/{fp_id}/vault', { params, body: { fields: [IMAGE] } });
    expect(await download.refused()).toMatchObject({ status: 404, code: 'not_found' });
  });
});

test.each([
  ['a file', IMAGE],
  ['a value', 'id.city'],
])('HEAD: of %s says what GET does, without its bytes', async (_what, identifier) => {
  await using download = await aDownload(identifier, { data: aUser() });
  if (identifier === IMAGE) await download.upload(aPng(200_000));

  const [get, head] = [await download.get(), await download.get({ method: 'HEAD' })];

  expect([head.status, head.text]).toEqual([200, '']);
  for (const name of ['content-type', 'content-length', 'content-disposition', 'content-security-policy']) {
    expect(head.headers[name], name).toBe(get.headers[name]);
  }
  expect(openHandles(download.service.filesFolder)).toBe(0);
});

describe('reasons and the access log', () => {
  const data = aUser();

  test('download: is an entry with the record of the token as its actor, and so is HEAD', async () => {
    await using download = await aDownload('id.city', { data });

    await download.get({ method: 'HEAD' });
    const { headers } = await download.get();

    expect(await accessLog(download.service)).toMatchObject([
      {
        operation: 'download',
        outcome: 'granted',
        reason: 'a test',
        fp_id: download.fp_id,
        identifiers: ['id.city'],
        request_id: headers['x-request-id'],
        tenant: 'default',
        environment: 'sandbox',
        actor: { kind: 'client_token', id: download.tokenId },
      },
      { operation: 'download', outcome: 'granted' },
    ]);
  });

  test('download: the reason of the token wins, else that of the query counts', async () => {
    await using reasoned = await aDownload('id.city', { data, reason: 'of the token' });
    await using silent = await aDownload('id.city', { data, reason: null });
    const query = '?reason=of%20the%20query';

    await reasoned.get({ query });
    await silent.get({ query });

    expect(await accessLog(reasoned.service)).toMatchObject([{ reason: 'of the token' }]);
    expect(await accessLog(silent.service)).toMatchObject([{ reason: 'of the query' }]);
  });

  test('download: without any reason is 400, and a refusal in the log', async () => {
    await using download = await aDownload('id.city', { data, reason: null });

    expect(await download.refused()).toMatchObject({ status: 400, code: 'reason_required' });
    expect(await accessLog(download.service)).toMatchObject([
      {
        operation: 'download',
        outcome: 'refused',
        reason: null,
        identifiers: ['id.city'],
        actor: { kind: 'client_token', id: download.tokenId },
      },
    ]);
  });

  test.eachWith(['vault', 'decrypt', 'vault_and_decrypt'])(
    'download: with a token of scope %s is a refusal in the log',
    async (service, scope) => {
      const fp_id = await service.user();
      const token = await service.token(fp_id, { scope, fields: ['id.city'], decrypt_reason: 'hidden' });
      const [record] = await tokensOf(service, fp_id).list();

      const reply = await service.send({
        method: 'GET',
        path: `/users/vault/decrypt/${token}?reason=hidden`,
      });

      expect(asRefusal(reply, scope)).toMatchObject({ status: 403, code: 'permission_denied' });
      expect(await accessLog(service)).toMatchObject([
        {
          operation: 'download',
          outcome: 'refused',
          reason: null,
          identifiers: [],
          fp_id,
          actor: { kind: 'client_token', id: record?.id },
        },
      ]);
    },
  );

  test('download: with an unknown token is no entry', async (service) => {
    await service.send({ method: 'GET', path: `/users/vault/decrypt/cttok_${'z'.repeat(34)}` });

    expect(await accessLog(service)).toEqual([]);
  });
});
