/** Documents as uploads make them (contract §2.9, §2.20, §5). */
import { expect, test } from 'vitest';
import type { DocumentRecord } from '../../src/resources/documents/index.ts';
import { LIVE_KEY, SANDBOX_KEY, startService, type TestService } from '../support/service.ts';
import { vaultOf } from '../support/vault-calls.ts';

const FRONT = 'document.passport.front.image';
const BACK = 'document.passport.back.image';

async function upload(
  service: TestService,
  fp_id: string,
  identifier: string,
  { bytes = 'an image', type = 'image/png', as = SANDBOX_KEY } = {},
) {
  service.clock.advance(1);
  const reply = await service.send({
    method: 'POST',
    path: `/${fp_id.startsWith('fp_bid_') ? 'businesses' : 'users'}/${fp_id}/vault/${identifier}/upload`,
    headers: { 'content-type': type },
    body: Buffer.from(bytes),
    as,
  });
  return reply.status;
}

async function documentsOf(service: TestService, id: string, as: string = SANDBOX_KEY) {
  const { body } = id.startsWith('fp_bid_')
    ? await service.call('GET /businesses/{fp_bid}/documents', { params: { fp_bid: id }, as })
    : await service.call('GET /users/{fp_id}/documents', { params: { fp_id: id }, as });
  return body;
}

/** As `front:1 back:2`. */
function imagesOf({ images }: DocumentRecord): string {
  return Object.entries(images)
    .map(([side, image]) => `${side}:${image.version}`)
    .join(' ');
}

test('GET /users/{fp_id}/documents: <identifier>:<version> of an image decrypts exactly that image', async () => {
  await using service = await startService();
  const fp_id = await service.user();
  await upload(service, fp_id, FRONT, { bytes: 'first' });
  await upload(service, fp_id, FRONT, { bytes: 'second' });

  const images = (await documentsOf(service, fp_id)).map((record) => record.images.front);

  expect(images).toEqual([
    { identifier: FRONT, version: 3 },
    { identifier: FRONT, version: 2 },
  ]);
  expect(await vaultOf(service, fp_id).decrypt([`${FRONT}:3`, `${FRONT}:2`])).toEqual({
    [`${FRONT}:3`]: Buffer.from('second').toString('base64'),
    [`${FRONT}:2`]: Buffer.from('first').toString('base64'),
  });
});

test('GET /users/{fp_id}/documents: uploads group into records, newest first', async () => {
  await using service = await startService();
  const fp_id = await service.user();
  for (const identifier of [FRONT, BACK, 'document.custom.lease', 'document.visa.selfie.image']) {
    expect(await upload(service, fp_id, identifier), identifier).toBe(200);
  }

  const records = await documentsOf(service, fp_id);

  expect(records.map((record) => [record.document_type, imagesOf(record)])).toEqual([
    ['selfie', 'selfie:5'],
    ['custom', 'front:4'],
    ['passport', 'front:2 back:3'],
  ]);
  expect(records.map(({ onboarding_id }) => onboarding_id)).toEqual([null, null, null]);
});

test('GET /users/{fp_id}/documents: an image stored under its alias shows its own name', async () => {
  await using service = await startService();
  const fp_id = await service.user();
  await upload(service, fp_id, 'document.ssn_card.image');

  expect(await documentsOf(service, fp_id)).toMatchObject([
    {
      document_type: 'ssn_card',
      images: { front: { identifier: 'document.ssn_card.front.image', version: 2 } },
    },
  ]);

  await vaultOf(service, fp_id).delete({ fields: ['document.ssn_card.image'] });
  expect(await documentsOf(service, fp_id)).toEqual([]);
});

test('GET /users/{fp_id}/documents: the letter is a custom record, a file under custom.* none', async () => {
  await using service = await startService();
  const fp_id = await service.user();
  const type = 'application/pdf';
  expect(await upload(service, fp_id, 'document.finra_compliance_letter', { type })).toBe(200);
  expect(await upload(service, fp_id, 'custom.contract', { type })).toBe(200);

  expect(await documentsOf(service, fp_id)).toMatchObject([
    { document_type: 'custom', images: { front: { identifier: 'document.finra_compliance_letter' } } },
  ]);
});

test('GET /users/{fp_id}/documents: a refused upload makes no record', async () => {
  await using service = await startService();
  const fp_id = await service.user();
  expect(await upload(service, fp_id, FRONT, { type: 'text/plain' })).toBe(400);
  expect(await upload(service, fp_id, FRONT, { bytes: '' })).toBe(400);

  expect(await documentsOf(service, fp_id)).toEqual([]);
});

test('DELETE /users/{fp_id}/vault: takes the current image from its record; purge all of them', async () => {
  await using service = await startService();
  const fp_id = await service.user();
  for (const identifier of [FRONT, FRONT, BACK]) await upload(service, fp_id, identifier);
  const images = async () => (await documentsOf(service, fp_id)).map(imagesOf);

  await vaultOf(service, fp_id).delete({ fields: [FRONT] });
  expect(await images()).toEqual(['back:4', 'front:2']);
  await vaultOf(service, fp_id).delete({ fields: [FRONT], purge: true });
  expect(await images()).toEqual(['back:4']);
  await vaultOf(service, fp_id).delete({ delete_all: true });
  expect(await images()).toEqual([]);
});

test('GET /businesses/{fp_bid}/documents: a business has custom documents', async () => {
  await using service = await startService();
  const fp_bid = await service.business();
  await upload(service, fp_bid, 'document.custom.charter');

  expect(await documentsOf(service, fp_bid)).toMatchObject([
    { document_type: 'custom', images: { front: { identifier: 'document.custom.charter', version: 2 } } },
  ]);
});

test('GET /users/{fp_id}/documents: an onboarding nobody owns has none', async () => {
  await using service = await startService();
  const fp_id = await service.user();
  await upload(service, fp_id, FRONT);

  const { body } = await service.call('GET /users/{fp_id}/documents', {
    params: { fp_id },
    query: { onboarding_id: 'ob_0000000000000000000000' },
  });

  expect(body).toEqual([]);
});

test.each(['DELETE /users/{fp_id}', 'POST /_kyclone/reset'] as const)(
  '%s: takes the records of documents along',
  async (key) => {
    await using service = await startService();
    const fp_id = await service.user();
    await upload(service, fp_id, FRONT);

    await service.call(key, { params: { fp_id } });

    const rows = 'SELECT (SELECT count(*) FROM documents) + (SELECT count(*) FROM document_images)';
    expect(service.database.prepare(rows).pluck().get()).toBe(0);
  },
);

test('GET /users/{fp_id}/documents: needs its scope, and the environment of the user', async () => {
  await using service = await startService();
  const fp_id = await service.user();
  const without = await service.key({ scopes: ['preview:tags'] });
  const refusal = (as: string) => service.refused('GET /users/{fp_id}/documents', { params: { fp_id }, as });

  expect(await refusal(without)).toMatchObject({ status: 403, code: 'scope_missing' });
  expect((await refusal(without)).message).toContain('preview:documents_list');
  expect(await refusal(LIVE_KEY)).toMatchObject({ status: 404, code: 'not_found' });
});
