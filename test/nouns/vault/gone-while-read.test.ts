/** A file that is deleted between two steps of a read is absent, not damaged: the caller gets the current state. */
import { expect, test } from 'vitest';
import { aPng } from '../../support/builders.ts';
import { startService, type TestService } from '../../support/service.ts';

const IMAGE = 'document.passport.front.image';
const OTHER = aPng(2000);

const purge = (service: TestService, fp_id: string) =>
  service.call('DELETE /users/{fp_id}/vault', { params: { fp_id }, body: { fields: [IMAGE], purge: true } });

/** Makes a user with an image. `meanwhile` runs once, when the file of the image is about to be opened. */
async function aReading(meanwhile: (service: TestService, fp_id: string) => Promise<unknown>) {
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
    scope: 'decrypt_download',
    fields: [IMAGE],
    decrypt_reason: 'a test',
  });
  happen = () => meanwhile(service, fp_id);
  const path = `/users/${fp_id}/vault`;
  return {
    download: () => service.send({ method: 'GET', path: `/users/vault/decrypt/${token}` }),
    decrypt: () =>
      service.send({ method: 'POST', path: `${path}/decrypt`, body: { fields: [IMAGE], reason: 'a test' } }),
    integrity: () =>
      service.send({
        method: 'POST',
        path: `${path}/integrity`,
        body: { fields: [IMAGE], signing_key: 'ab'.repeat(32) },
      }),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** What each reading answers when the file is purged; when its user is deleted, all are 404. */
test.each([
  ['download', 404, undefined],
  ['decrypt', 200, { [IMAGE]: null }],
  ['integrity', 200, { [IMAGE]: null }],
] as const)(
  '%s: the user is deleted, or the file purged, while it is opened',
  async (reading, status, body) => {
    await using deleted = await aReading((service, fp_id) =>
      service.call('DELETE /users/{fp_id}', { params: { fp_id } }),
    );
    expect(await deleted[reading]()).toMatchObject({ status: 404, body: { code: 'not_found' } });

    await using purged = await aReading(purge);
    expect(await purged[reading]()).toMatchObject({ status, ...(body && { body }) });
  },
);

test('download: of a file that is purged and stored again while it is opened gives the new one', async () => {
  await using service = await aReading(async (service, fp_id) => {
    await purge(service, fp_id);
    await service.upload(fp_id, IMAGE, OTHER);
  });

  const reply = await service.download();

  expect(reply.status).toBe(200);
  expect(reply.bytes.equals(OTHER)).toBe(true);
});
