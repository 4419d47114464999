/** Client tokens for one version of an image (contract §0.11, §2.2, §2.5, §2.6). */
import { expect } from 'vitest';
import { asRefusal, failureOf } from '../../support/service.ts';
import { accessLog, aTokenUser, tokenVault } from '../../support/vault-calls.ts';
import { testWith } from '../../support/test-with.ts';

const IMAGE = 'document.ssn_card.front.image';
const ALIAS = 'document.ssn_card.image';
const OTHER = 'document.passport.front.image';

/** Makes a user with an image in three versions (the vault's 1, 2 and 3), each with its own bytes. */
async function threeVersions() {
  const user = await aTokenUser({});
  const { service, fp_id } = user;
  for (const text of ['first', 'second', 'third']) {
    await service.upload(fp_id, IMAGE, Buffer.from(text), 'image/png');
  }
  const minted = (scope: string, fields: string[]) =>
    service.token(fp_id, { scope, fields, decrypt_reason: 'a test' });
  return {
    ...user,
    minted,
    download: async (field: string) => {
      const token = await minted('decrypt_download', [field]);
      return service.send({ method: 'GET', path: `/users/vault/decrypt/${token}` });
    },
    holder: async (scope: string, fields: string[]) => tokenVault(service, await minted(scope, fields)),
  };
}

const test = testWith(threeVersions);

const base64 = (text: string) => Buffer.from(text).toString('base64');

test('download: a token for a version gives that version, and one without the newest', async (user) => {
  const second = await user.download(`${IMAGE}:2`);

  expect([second.status, second.text]).toEqual([200, 'second']);
  expect(second.headers['content-disposition']).toBe(`attachment; filename="${IMAGE}"`);
  expect((await user.download(`${IMAGE}:1`)).text).toBe('first');
  expect((await user.download(`${ALIAS}:2`)).text).toBe('second');
  expect((await user.download(IMAGE)).text).toBe('third');
  expect((await accessLog(user.service)).at(-1)).toMatchObject({
    operation: 'download',
    identifiers: [`${IMAGE}:2`],
    outcome: 'granted',
  });
});

test('download: each file in the list of documents is fetched by its version', async (user) => {
  const params = { fp_id: user.fp_id };
  for (const text of ['one', 'two']) {
    await user.service.upload(user.fp_id, 'document.custom.lease', Buffer.from(text), 'text/plain');
  }
  const { body } = await user.service.call('GET /users/{fp_id}/documents', { params });
  const listed = body.flatMap(({ images }) => Object.values(images));

  const texts = await Promise.all(
    listed.map(async ({ identifier, version }) => (await user.download(`${identifier}:${version}`)).text),
  );

  expect(texts.sort()).toEqual(['first', 'one', 'second', 'third', 'two']);
});

test.eachWith([0, 4])('download: version %i, which holds nothing, is 404', async (user, version) => {
  const answer = asRefusal(await user.download(`${IMAGE}:${version}`), IMAGE);

  expect(answer).toMatchObject({ status: 404, code: 'not_found' });
});

test('client_token: the answer, the token itself and the inspector name the version', async (user) => {
  const fields = [`${IMAGE}:2`, OTHER];

  const minted = await user.mint({ scope: 'vault_and_decrypt', fields });

  expect(minted.fields).toEqual(fields);
  expect((await user.describeToken(minted.token)).fields).toEqual(fields);
  expect((await user.list()).map((token) => token.fields)).toEqual([fields]);
});

test('decrypt: a token for a version reads that version only, under each of its names', async (user) => {
  const token = await user.holder('decrypt', [`${IMAGE}:2`]);

  expect((await token.decrypt({})).body).toEqual({ [`${IMAGE}:2`]: base64('second') });
  expect(Object.values((await token.decrypt({ fields: [`${IMAGE}:02`, `${ALIAS}:2`] })).body)).toEqual([
    base64('second'),
    base64('second'),
  ]);
  for (const field of [IMAGE, ALIAS, `${IMAGE}:1`, `${IMAGE}:3`, `${IMAGE}:22`, `${OTHER}:2`]) {
    const refused = await token.refusedDecrypt({ fields: [field] });
    expect(refused, field).toMatchObject({ status: 403, code: 'permission_denied' });
    expect(refused.context).toEqual({ [field]: 'not permitted for this credential' });
  }
  expect((await token.refusedDecrypt({ fields: [IMAGE] }, { 'x-fp-vault-version': '2' })).status).toBe(403);
});

test('decrypt: a token for the image reads every version of it', async (user) => {
  const token = await user.holder('decrypt', [IMAGE]);

  const { body } = await token.decrypt({ fields: [`${IMAGE}:1`, `${IMAGE}:3`, IMAGE] });

  expect(Object.values(body)).toEqual([base64('first'), base64('third'), base64('third')]);
});

test('upload: a token for a version writes nothing', async (user) => {
  const token = await user.minted('vault_and_decrypt', [`${IMAGE}:2`]);
  const upload = async (identifier: string) => {
    const path = `/users/vault/${identifier}/upload`;
    const body = Buffer.from('fourth');
    return asRefusal(await user.service.send({ method: 'POST', path, body, as: token }), identifier);
  };

  expect((await upload(IMAGE)).status).toBe(403);
  expect((await upload(`${IMAGE}:2`)).status).toBe(400);
  expect((await user.download(IMAGE)).text).toBe('third');
});

test.eachWith<[what: string, scope: string, field: string]>([
  ['of a text', 'decrypt', 'id.email:1'],
  ['of a custom value', 'decrypt_download', 'custom.image:1'],
  ['of the type of an image', 'decrypt', 'document.passport.front.mime_type:1'],
  ['that is no number', 'decrypt', `${IMAGE}:x`],
  ['that is empty', 'decrypt', `${IMAGE}:`],
  ['twice', 'decrypt', `${IMAGE}:1:2`],
  ['for a scope that writes only', 'vault', `${IMAGE}:2`],
])('client_token: a version %s is 400 naming it', async (user, _what, scope, field) => {
  const answer = await user.refusedMint({ scope, fields: [field] });

  expect(answer).toMatchObject(failureOf(400, 'invalid_request', field));
});

test('client_token: a version takes the permission that the image takes', async (user) => {
  const key = async (permissions: string[]) =>
    (await user.service.call('POST /_kyclone/api-keys', { body: { permissions } })).body.key;
  const body = { scope: 'decrypt_download', fields: [`${IMAGE}:2`] };

  const refused = await user.refusedMint(body, await key(['decrypt:id.*']));

  expect(refused.context).toEqual({ [IMAGE]: 'not permitted for this credential' });
  expect((await user.mint(body, await key([`decrypt:${IMAGE}`]))).fields).toEqual(body.fields);
});
