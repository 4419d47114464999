/** A stored file: versions, presence, integrity, deletion, and its place on disk. */
import { createHmac } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { UPLOAD_LIMIT_BYTES } from '../../../src/contract/facts/limits.ts';
import { aPng } from '../../support/builders.ts';
import { NOON, failureOf, startService, type TestService } from '../../support/service.ts';
import { accessLog, vaultOf } from '../../support/vault-calls.ts';
import { testWith } from '../../support/test-with.ts';

const IMAGE = 'document.passport.front.image';
const MIME_TYPE = 'document.passport.front.mime_type';
const ONE_PAGE = 'document.ssn_card.image';
const ONE_PAGE_FRONT = 'document.ssn_card.front.image';
const SIGNING_KEY = '00112233445566778899aabbccddeeff';

async function aVault(data: Record<string, unknown> = {}) {
  const service = await startService();
  const fp_id = await service.user(data);
  const vault = vaultOf(service, fp_id);
  return {
    service,
    fp_id,
    vault,
    upload: (identifier: string, bytes: Buffer | string, type?: string) =>
      service.upload(fp_id, identifier, Buffer.from(bytes), type),
    textOf: async (field: string) => {
      const value = (await vault.decrypt([field]))[field];
      return typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value;
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

const test = testWith(aVault);

const files = (service: TestService) => readdir(service.filesFolder).catch(() => []);

describe('versions', () => {
  test('upload: each is a version, of equal bytes too, and each reads by its number, with its content type', async () => {
    await using user = await aVault({ 'id.city': 'Enclave' });

    const versions = [];
    for (const bytes of ['one', 'two', 'two'])
      versions.push(await user.upload(IMAGE, bytes, bytes === 'one' ? 'image/gif' : undefined));

    expect(versions).toEqual([2, 3, 4]);
    expect(await user.vault.decrypt([1, 2, 3, 4, 5].map((version) => `${IMAGE}:${version}`))).toEqual({
      [`${IMAGE}:1`]: null,
      [`${IMAGE}:2`]: Buffer.from('one').toString('base64'),
      [`${IMAGE}:3`]: Buffer.from('two').toString('base64'),
      [`${IMAGE}:4`]: Buffer.from('two').toString('base64'),
      [`${IMAGE}:5`]: null,
    });
    expect(await user.vault.decrypt([`${MIME_TYPE}:2`, MIME_TYPE])).toEqual({
      [`${MIME_TYPE}:2`]: 'image/gif',
      [MIME_TYPE]: 'image/png',
    });
    expect((await user.vault.decryptAsOf(2, [IMAGE])).body).toEqual({
      [IMAGE]: Buffer.from('one').toString('base64'),
    });
    expect(await files(user.service)).toHaveLength(3);
  });

  test('upload: those that come at the same moment are all kept', async (user) => {
    const texts = Array.from({ length: 10 }, (_, number) => `number ${number}`);

    const versions = await Promise.all(texts.map((text) => user.upload(IMAGE, text)));
    const read = await Promise.all(versions.map((version) => user.textOf(`${IMAGE}:${version}`)));

    expect(new Set(versions).size).toBe(10);
    expect(read).toEqual(texts);
  });

  test('decrypt: files over 64 MiB together are 400, and none is read', async (user) => {
    const bytes = Buffer.alloc(UPLOAD_LIMIT_BYTES, 'k');
    for (let count = 0; count < 7; count++) await user.upload(IMAGE, bytes);

    const answer = await user.vault.refusedDecrypt({
      fields: [1, 2, 3, 4, 5, 6, 7].map((version) => `${IMAGE}:${version}`),
    });

    expect(answer).toMatchObject(failureOf(400, 'invalid_request', '64 MiB'));
    expect(await accessLog(user.service)).toEqual([]);
  });
});

describe('presence and integrity', () => {
  test('GET vault: lists an image and its content type, its alias only when asked', async (user) => {
    await user.upload(ONE_PAGE, aPng());

    expect(await user.vault.present()).toEqual({
      [ONE_PAGE_FRONT]: true,
      'document.ssn_card.front.mime_type': true,
    });
    expect(await user.vault.present([ONE_PAGE, ONE_PAGE_FRONT, IMAGE, MIME_TYPE])).toEqual({
      [ONE_PAGE]: true,
      [ONE_PAGE_FRONT]: true,
      [IMAGE]: false,
      [MIME_TYPE]: false,
    });
  });

  test('integrity: of a file is the HMAC of its bytes, of its content type that of the text', async (user) => {
    const bytes = aPng(200_000);
    await user.upload(ONE_PAGE, 'first');
    await user.upload(ONE_PAGE, bytes, 'image/gif');
    const hmac = (data: Buffer | string) =>
      createHmac('sha256', Buffer.from(SIGNING_KEY, 'hex')).update(data).digest('hex');
    const fields = [ONE_PAGE, ONE_PAGE_FRONT, `${ONE_PAGE}:1`, 'document.ssn_card.front.mime_type', IMAGE];

    const { body } = await user.service.call('POST /users/{fp_id}/vault/integrity', {
      params: { fp_id: user.fp_id },
      body: { fields, signing_key: SIGNING_KEY },
    });

    expect(Object.values(body)).toEqual([hmac(bytes), hmac(bytes), hmac('first'), hmac('image/gif'), null]);
  });

  test('entities/{fp_id}: shows a file by type and size', async (user) => {
    await user.upload('custom.note', 'hi', 'Text/Plain; charset=utf-8');
    await user.upload(IMAGE, aPng());

    const { body } = await user.service.call('GET /_kyclone/entities/{fp_id}', {
      params: { fp_id: user.fp_id },
    });

    const updated_at = new Date(NOON).toISOString();
    expect(body.vault).toEqual([
      { identifier: 'custom.note', mask: '<Text/Plain 2 bytes>', type: 'file', version: 1, updated_at },
      { identifier: IMAGE, mask: `<image/png ${aPng().length} bytes>`, type: 'file', version: 2, updated_at },
      { identifier: MIME_TYPE, mask: 'image/png', type: 'text', version: 2, updated_at },
    ]);
  });
});

describe('deletion', () => {
  test('DELETE vault: takes the file and its content type away, its versions stay', async (user) => {
    await user.upload(IMAGE, 'one');

    expect(await user.vault.delete({ fields: [IMAGE] })).toEqual({ values: { [IMAGE]: true }, version: 2 });

    expect(await user.vault.decrypt([IMAGE, MIME_TYPE])).toEqual({ [IMAGE]: null, [MIME_TYPE]: null });
    expect(await user.textOf(`${IMAGE}:1`)).toBe('one');
    expect(await user.vault.present()).toEqual({});
  });

  test.eachWith([
    ['by its name', { fields: [ONE_PAGE_FRONT] }],
    ['by its alias', { fields: [ONE_PAGE] }],
    ['with everything', { delete_all: true }],
  ])('DELETE vault: purge %s leaves no version and no file on disk', async (user, _how, what) => {
    await user.upload(ONE_PAGE, 'one');
    await user.upload(ONE_PAGE, 'two');
    expect(await files(user.service)).toHaveLength(2);

    await user.vault.delete({ ...what, purge: true });

    expect(await user.vault.decrypt([ONE_PAGE, `${ONE_PAGE}:1`, `${ONE_PAGE_FRONT}:2`])).toEqual({
      [ONE_PAGE]: null,
      [`${ONE_PAGE}:1`]: null,
      [`${ONE_PAGE_FRONT}:2`]: null,
    });
    expect(await files(user.service)).toEqual([]);
  });

  test.eachWith([{ fields: [ONE_PAGE, 'custom.any'] }, { delete_all: true }])(
    'DELETE vault: purge of %j that was deleted, or replaced by a value, removes it from disk',
    async (user, what) => {
      await user.upload(ONE_PAGE, 'one');
      await user.upload('custom.any', 'two');
      await user.vault.write({ [ONE_PAGE]: null, 'custom.any': 'three' });
      expect(await files(user.service)).toHaveLength(2);

      await user.vault.delete({ ...what, purge: true });

      expect(await user.vault.decrypt([`${ONE_PAGE}:1`])).toEqual({ [`${ONE_PAGE}:1`]: null });

      expect(await files(user.service)).toEqual([]);
    },
  );

  test('DELETE vault: purge of one identifier leaves the files of the others', async (user) => {
    await user.upload(IMAGE, 'one');
    await user.upload('custom.any', 'two');

    await user.vault.delete({ fields: [IMAGE], purge: true });

    expect(await user.textOf('custom.any')).toBe('two');
    expect(await files(user.service)).toHaveLength(1);
  });

  test('DELETE /users/{fp_id}: removes the files of the user and no others', async (user) => {
    const other = await user.service.user({});
    await user.upload(IMAGE, 'one');
    await user.upload(IMAGE, 'two');
    await user.service.upload(other, IMAGE, Buffer.from('three'));

    await user.service.call('DELETE /users/{fp_id}', { params: { fp_id: user.fp_id } });

    expect(await files(user.service)).toHaveLength(1);
    expect(await vaultOf(user.service, other).decrypt([IMAGE])).toEqual({
      [IMAGE]: Buffer.from('three').toString('base64'),
    });
  });

  test('reset: removes every file and returns how many', async (user) => {
    await user.upload(IMAGE, 'one');
    await user.upload(IMAGE, 'two');

    const { body } = await user.service.call('POST /_kyclone/reset');

    expect(body.deleted).toMatchObject({ users: 1, files: 2 });
    expect(await files(user.service)).toEqual([]);
    const again = await user.service.user({});
    expect(await user.service.upload(again, IMAGE, aPng())).toBe(1);
  });
});

describe('visible traces', () => {
  test('requests: show an upload by type and size, and where it went; the access log has no entry of it', async (user) => {
    const sent = {
      method: 'POST',
      path: `/users/${user.fp_id}/vault/${IMAGE}/upload`,
      headers: { 'content-type': 'image/png; name=Jane' },
      body: aPng(),
    };
    const stored = await user.service.send(sent);
    const refused = await user.service.send({ ...sent, headers: { 'content-type': 'text/Jane' } });
    const entry = async (reply: typeof stored) => {
      const params = { id: reply.headers['x-request-id'] ?? '' };
      return (await user.service.call('GET /_kyclone/requests/{id}', { params })).body;
    };

    expect(await entry(stored)).toMatchObject({
      path: `/users/${user.fp_id}/vault/${IMAGE}/upload`,
      route: '/users/{fp_id}/vault/{identifier}/upload',
      request: `<image/png ${aPng().length} bytes>`,
      response: {},
    });
    expect(await entry(refused)).toMatchObject({ status: 400, code: 'T120' });
    expect(JSON.stringify(user.service.log)).not.toContain('Jane');
    expect(await accessLog(user.service)).toEqual([]);
  });
});
