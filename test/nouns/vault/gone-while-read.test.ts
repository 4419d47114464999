/** A file that is deleted between two steps of a read is absent, not damaged: the caller gets the current state. */
import { expect, test } from 'vitest';
import { aPng } from '../../support/builders.ts';
import { startService } from '../../support/service.ts';

const IMAGE = 'document.passport.front.image';
const OTHER = aPng(2000);

/** Makes a user with an image. `meanwhile` runs once, when the file of the image is about to be opened. */
async function aReading(
  meanwhile: (service: Awaited<ReturnType<typeof startService>>, fp_id: string) => Promise<unknown>,
) {
  let happen: (() => Promise<unknown>) | undefined;
  const service = await startService({
    blobs: (store) => ({
      ...store,
      async open(name) {
        const now = happen;
        happen = undefined;
        await now?.();
        return store.open(name);
      },
    }),
  });
  const fp_id = await service.user();
  await service.upload(fp_id, IMAGE, aPng());
  const token = await service.token(fp_id, {
    ...{ scope: 'decrypt_download', fields: [IMAGE], decrypt_reason: 'a test' },
  });
  happen = () => meanwhile(service, fp_id);
  const path = `/users/${fp_id}/vault`;
  return {
    download: () => service.send({ method: 'GET', path: `/users/vault/decrypt/${token}` }),
    decrypt: () =>
      service.send({
        method: 'POST',
        path: `${path}/decrypt`,
        body: { fields: [IMAGE], reason: 'a test' },
      }),
    integrity: () =>
      service.send({
        method: 'POST',
        path: `${path}/integrity`,
        body: { fields: [IMAGE], signing_key: 'ab'.repeat(32) },
      }),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

const READINGS = ['download', 'decrypt', 'integrity'] as const;

test.each(READINGS)('%s: the user is deleted while her file is opened', async (reading) => {
  await using service = await aReading((service, fp_id) =>
    service.call('DELETE /users/{fp_id}', { params: { fp_id } }),
  );

  expect(await service[reading]()).toMatchObject({ status: 404, body: { code: 'not_found' } });
});

test.each([
  ['download', 404, undefined],
  ['decrypt', 200, null],
  ['integrity', 200, null],
] as const)('%s: the file is purged while it is opened', async (reading, status, value) => {
  await using service = await aReading((service, fp_id) =>
    service.call('DELETE /users/{fp_id}/vault', {
      params: { fp_id },
      body: { fields: [IMAGE], purge: true },
    }),
  );

  const reply = await service[reading]();

  expect(reply.status).toBe(status);
  if (value === null) expect(reply.body).toEqual({ [IMAGE]: null });
});

test('download: of a file that is purged and stored again while it is opened gives the new one', async () => {
  await using service = await aReading(async (service, fp_id) => {
    const body = { fields: [IMAGE], purge: true };
    await service.call('DELETE /users/{fp_id}/vault', { params: { fp_id }, body });
    await service.upload(fp_id, IMAGE, OTHER);
  });

  const reply = await service.download();

  expect(reply.status).toBe(200);
  expect(reply.bytes.equals(OTHER)).toBe(true);
});
