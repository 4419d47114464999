/** Rules for every endpoint of the registry that takes a file (contract §0.4, §0.10, §2.7). */
import { readdir } from 'node:fs/promises';
import { expect } from 'vitest';
import { UPLOAD_LIMIT_BYTES } from '../../src/contract/facts/limits.ts';
import { endpoints, type EndpointKey } from '../../src/contract/registry.ts';
import { aPng } from '../support/builders.ts';
import { samples, setStage } from '../support/samples.ts';
import { asRaw, asRefusal, type RawRequest, type TestService } from '../support/service.ts';
import { fileForm, FORM_TYPE } from '../support/uploads.ts';
import { test } from '../support/test-with.ts';
import { words } from '../support/words.ts';

/** Leaves out snapshots. They aren't files of a vault, and other tests cover their content and size. */
const uploads = endpoints.flatMap(({ key, takesFile, bodyLimitBytes = UPLOAD_LIMIT_BYTES }) =>
  takesFile && bodyLimitBytes === UPLOAD_LIMIT_BYTES ? [key] : [],
);
const formType = FORM_TYPE.slice('content-type: '.length);

/** Returns the sample of an upload without its headers, so that a test can set headers and bytes. */
async function aSample(service: TestService, key: EndpointKey): Promise<RawRequest> {
  return { ...asRaw(key, await samples[key](await setStage(service))), headers: {} };
}

const files = (service: TestService) => readdir(service.filesFolder).catch(() => []);

test.eachWith(uploads)('%s: any bytes are taken, and they need be no JSON', async (service, key) => {
  const sample = await aSample(service, key);

  for (const body of ['{', '\ufeff{}', Buffer.from([0x22, 0xff, 0x22]), Buffer.alloc(1), aPng()]) {
    const headers = { 'content-type': 'image/png' };
    expect((await service.send({ ...sample, headers, body })).status, String(body)).toBe(200);
  }
});

test.eachWith(uploads)('%s: a file need not say what it is, and may come in a form', async (service, key) => {
  const sample = await aSample(service, key);

  expect((await service.send({ ...sample, body: aPng() })).status).toBe(200);
  const headers = { 'content-type': formType };
  expect((await service.send({ ...sample, headers, body: fileForm(aPng()) })).status).toBe(200);
});

test.eachWith(uploads)(
  '%s: a file of 10 MiB is taken, a byte more is 413 naming the limit',
  async (service, key) => {
    const sample = await aSample(service, key);
    const bytes = Buffer.alloc(UPLOAD_LIMIT_BYTES + 1, 'k');

    const exact = await service.send({ ...sample, body: bytes.subarray(1) });
    const over = asRefusal(await service.send({ ...sample, body: bytes }), key);

    expect(exact.status, exact.text).toBe(200);
    expect(over).toMatchObject({ status: 413, code: 'payload_too_large' });
    expect(over.message).toContain(String(UPLOAD_LIMIT_BYTES));
    expect(await files(service)).toHaveLength(1);
  },
);

test.eachWith(uploads)('%s: no bytes are 400', async (service, key) => {
  const sample = await aSample(service, key);

  for (const parts of [
    { body: undefined },
    { body: Buffer.alloc(0) },
    { body: Buffer.alloc(0), headers: { 'content-type': 'image/png' } },
    { body: fileForm(''), headers: { 'content-type': formType } },
  ]) {
    const answer = asRefusal(await service.send({ ...sample, ...parts }), key);
    expect(answer, JSON.stringify(parts)).toMatchObject({ status: 400, code: 'invalid_request' });
  }
  expect(await files(service)).toEqual([]);
});

const named = uploads.filter((key) => key.includes('{identifier}'));

test.eachWith(named)(
  '%s: an identifier that is none is 400 naming it, without its file',
  async (service, key) => {
    const sample = samples[key];
    const stage = await setStage(service);
    const parts = await sample(stage);

    for (const identifier of [
      ...words`
        nonsense __proto__ constructor id.shoe_size document.passport document.custom.
        document.passport.front.image:1 custom.* id.* custom.a:1 ../id.email id.email/..
      `,
      'document.passport.front.image ',
      'DOCUMENT.passport.front.image',
      'id.email\0',
      '%2e%2e',
    ]) {
      const answer = await service.refused(key, { ...parts, params: { ...parts.params, identifier } });
      expect(answer, identifier).toMatchObject({ status: 400, code: 'invalid_request' });
      expect(answer.message).toContain(identifier);
      expect(answer).not.toHaveProperty('context');
    }
    expect(await files(service)).toEqual([]);
  },
);
