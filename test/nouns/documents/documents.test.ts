/** Documents that uploads create (contract §2.9, §2.20, §5). */
import { expect } from 'vitest';
import type { DocumentRecord } from '../../../src/nouns/documents/service.ts';
import { aReadyUser, KYC } from '../../support/builders.ts';
import { SANDBOX_KEY, type TestService } from '../../support/service.ts';
import { vaultOf } from '../../support/vault-calls.ts';
import { test } from '../../support/test-with.ts';

const FRONT = 'document.passport.front.image';
const BACK = 'document.passport.back.image';

/** Uploads an image, a millisecond after the one before. */
function upload(service: TestService, id: string, identifier: string, bytes = 'an image', type?: string) {
  service.clock.advance(1);
  return service.upload(id, identifier, Buffer.from(bytes), type);
}

async function documentsOf(service: TestService, id: string, as: string = SANDBOX_KEY) {
  const { body } = id.startsWith('fp_bid_')
    ? await service.call('GET /businesses/{fp_bid}/documents', { params: { fp_bid: id }, as })
    : await service.call('GET /users/{fp_id}/documents', { params: { fp_id: id }, as });
  return body;
}

/** Returns the images as `front:1 back:2`. */
function imagesOf({ images }: DocumentRecord): string {
  return Object.entries(images)
    .map(([side, image]) => `${side}:${image.version}`)
    .join(' ');
}

test('GET /users/{fp_id}/documents: <identifier>:<version> of an image decrypts exactly that image', async (service) => {
  const fp_id = await service.user();
  await upload(service, fp_id, FRONT, 'first');
  await upload(service, fp_id, FRONT, 'second');

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

test('GET /users/{fp_id}/documents: an image stored under its alias shows its own name', async (service) => {
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

test('DELETE /users/{fp_id}/vault: takes the current image from its record; purge all of them', async (service) => {
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

test('GET /businesses/{fp_bid}/documents: a business has custom documents', async (service) => {
  const fp_bid = await service.business();
  await upload(service, fp_bid, 'document.custom.charter');

  expect(await documentsOf(service, fp_bid)).toMatchObject([
    { document_type: 'custom', images: { front: { identifier: 'document.custom.charter', version: 2 } } },
  ]);
});

test('GET /users/{fp_id}/documents: an unknown onboarding has none', async (service) => {
  const fp_id = await service.user();
  await upload(service, fp_id, FRONT);

  const { body } = await service.call('GET /users/{fp_id}/documents', {
    params: { fp_id },
    query: { onboarding_id: 'ob_0000000000000000000000' },
  });

  expect(body).toEqual([]);
});

test('DELETE /users/{fp_id}: takes the records of documents along', async (service) => {
  const fp_id = await service.user();
  await upload(service, fp_id, FRONT);

  await service.call('DELETE /users/{fp_id}', { params: { fp_id } });

  const rows = 'SELECT (SELECT count(*) FROM documents) + (SELECT count(*) FROM document_images)';
  expect(service.database.prepare(rows).pluck().get()).toBe(0);
});

test('GET /users/{fp_id}/documents: what belongs to no onboarding joins the next run that starts', async (service) => {
  const fp_id = await service.user(aReadyUser());
  const run = async (fixture_result: 'pass' | 'pending') => {
    const body = { key: KYC, fixture_result };
    return (await service.call('POST /users/{fp_id}/kyc', { params: { fp_id }, body })).body.onboarding_id;
  };
  const owners = async () => (await documentsOf(service, fp_id)).map(({ onboarding_id }) => onboarding_id);
  await upload(service, fp_id, FRONT, 'first');
  await upload(service, fp_id, 'document.custom.lease');
  expect(await owners()).toEqual(['', '']);

  const one = await run('pass');
  expect(await owners()).toEqual([one, one]);
  await upload(service, fp_id, FRONT, 'second');
  const other = await run('pending');
  expect(await owners()).toEqual([other, one, one]);
  await run('pass');
  expect(await owners()).toEqual([other, one, one]);
});
