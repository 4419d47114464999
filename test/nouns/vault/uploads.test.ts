/** What an upload stores, under which identifiers and with which content types (contract §1.6, §2.7, §5). */
import { describe, expect } from 'vitest';
import { aPng } from '../../support/builders.ts';
import { asRefusal, LIVE_KEY, SANDBOX_KEY, startService, type TestService } from '../../support/service.ts';
import { FORM_TYPE, fileForm, DISPOSITION } from '../../support/uploads.ts';
import { vaultOf } from '../../support/vault-calls.ts';
import { testWith } from '../../support/test-with.ts';

const IMAGE = 'document.passport.front.image';
const MIME_TYPE = 'document.passport.front.mime_type';

interface Sent {
  readonly body: Buffer | string;
  /** The content type. Without it, no content type is sent. */
  readonly type?: string | undefined;
  readonly as?: string;
  readonly headers?: Record<string, string>;
}

/** Uploads with a key, with the identifier unchanged in the path. */
function upload(service: TestService, fpId: string, identifier: string, sent: Sent) {
  const kind = fpId.startsWith('fp_id_') ? 'users' : 'businesses';
  const { body, type, as = SANDBOX_KEY, headers = {} } = sent;
  return service.send({
    method: 'POST',
    path: `/${kind}/${fpId}/vault/${identifier}/upload`,
    headers: { ...(type !== undefined && { 'content-type': type }), ...headers },
    body: Buffer.from(body),
    as,
  });
}

const formType = FORM_TYPE.slice('content-type: '.length);
const asForm = (bytes: Buffer, ...types: string[]) => ({
  type: formType,
  body: fileForm(bytes, DISPOSITION, ...types.map((type) => `Content-Type: ${type}`)),
});

const contextOf = async (...request: Parameters<typeof upload>) => {
  const refusal = asRefusal(await upload(...request), request[2]);
  expect(refusal).toMatchObject({ status: 400, code: 'T120' });
  return refusal.context;
};

async function aVault(data: Record<string, unknown> = {}) {
  const service = await startService();
  const fp_id = await service.user(data);
  const vault = vaultOf(service, fp_id);
  return {
    service,
    fp_id,
    vault,
    upload: (identifier: string, sent: Sent) => upload(service, fp_id, identifier, sent),
    contextOf: (identifier: string, sent: Sent) => contextOf(service, fp_id, identifier, sent),
    valueOf: async (field: string) => (await vault.decrypt([field]))[field],
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

const test = testWith(aVault);

describe('ways to send', () => {
  const forms = [
    ['raw', { body: aPng(), type: 'image/png' }],
    ['in a form', asForm(aPng(), 'image/png')],
  ] as const;

  test.eachWith(forms)('upload: %s with a key, to a user', async (user, _how, sent) => {
    const reply = await user.upload(IMAGE, sent);

    expect([reply.status, reply.body, reply.headers['x-fp-vault-version']]).toEqual([200, {}, '1']);
    expect(await user.vault.decrypt([IMAGE, MIME_TYPE])).toEqual({
      [IMAGE]: aPng().toString('base64'),
      [MIME_TYPE]: 'image/png',
    });
  });

  test.eachWith(['document.ssn_card.image', 'document.ssn_card.front.image'])(
    'upload: %s is the same datum as its other name, for a token too',
    async (user, identifier) => {
      const fields = ['document.ssn_card.image'];
      const as = await user.service.token(user.fp_id, { scope: 'vault', fields });
      const path = `/users/vault/${identifier}/upload`;

      const headers = { 'content-type': 'image/png' };
      expect((await user.service.send({ method: 'POST', path, headers, body: aPng(), as })).status).toBe(200);
      expect(await user.vault.decrypt(['document.ssn_card.image', 'document.ssn_card.front.image'])).toEqual({
        'document.ssn_card.image': aPng().toString('base64'),
        'document.ssn_card.front.image': aPng().toString('base64'),
      });
    },
  );
});

describe('content type', () => {
  test.eachWith([
    ['Image/PNG; Name="a;b" ;x=1', 'Image/PNG; Name="a;b" ;x=1'],
    ['application/pdf', 'application/pdf'],
    [undefined, 'application/octet-stream'],
    ['application/x-www-form-urlencoded', 'application/octet-stream'],
    ['binary/octet-stream', 'application/octet-stream'],
  ])('upload: %s is kept as %s', async (user, type, kept) => {
    await user.upload(IMAGE, { body: aPng(), type });

    expect(await user.valueOf(MIME_TYPE)).toBe(kept);
  });

  test('upload: in a form that of the part is kept, and not that of the form', async (user) => {
    await user.upload(IMAGE, asForm(aPng(), 'image/gif; a=b'));
    const typed = await user.valueOf(MIME_TYPE);
    await user.upload(IMAGE, asForm(aPng()));

    expect([typed, await user.valueOf(MIME_TYPE)]).toEqual(['image/gif; a=b', 'application/octet-stream']);
  });

  // Which types each identifier takes: test/vault/identifiers/document.test.ts.
  const LETTER = 'document.finra_compliance_letter';

  test.eachWith<[identifier: string, type: string | undefined]>([
    [IMAGE, 'text/plain'],
    ['document.proof_of_address.image', 'text/plain'],
    [LETTER, 'image/png'],
    [LETTER, undefined],
  ])('upload: %s may not be %s', async (user, identifier, type) => {
    expect(await user.contextOf(identifier, { body: aPng(), type })).toEqual({
      [identifier]: 'file type not allowed for this identifier',
    });
    expect(await user.vault.present()).toEqual({});
  });
});

test('upload: where none may go, an image of a business and a derived value are T120', async (user) => {
  const fpId = await user.service.business({});

  expect(await contextOf(user.service, fpId, IMAGE, { body: 'x', type: 'application/pdf' })).toEqual({
    [IMAGE]: 'cannot be added to this type of vault',
  });
  for (const identifier of [MIME_TYPE, 'card.a.issuer']) {
    expect(await user.contextOf(identifier, { body: 'x', type: 'image/png' })).toEqual({
      [identifier]: 'derived automatically and cannot be written',
    });
  }
});

describe('typed text', () => {
  test.eachWith([
    ['id.first_name', '  Zoë \r\n', 'Zoë'],
    ['id.first_name', 'null', 'null'],
    ['id.first_name', '"quoted"', '"quoted"'],
    ['id.citizenships', '["us","de","us"]', ['US', 'DE']],
    ['investor_profile.investment_goals', ' ["growth"] ', ['growth']],
    ['investor_profile.funding_sources', 'savings', ['savings']],
    ['investor_profile.declarations', '[]', []],
  ])('upload: to %s of %j stores %j', async (user, identifier, body, stored) => {
    expect((await user.upload(identifier, { body, type: 'application/x-anything' })).status).toBe(200);

    expect(await user.valueOf(identifier)).toEqual(stored);
  });

  test.eachWith([
    ['id.first_name', ' \n ', 'invalid length'],
    ['id.first_name', 'x'.repeat(32 * 1024 + 1), 'invalid length'],
    ['id.first_name', Buffer.from([0x4a, 0xff]), 'must be a string'],
    ['id.first_name', Buffer.from([0xed, 0xa0, 0x80]), 'must be a string'],
    ['id.citizenships', 'US', 'must be a list of strings'],
    ['id.citizenships', '{"US":1}', 'must be a list of strings'],
    ['id.citizenships', 'null', 'must be a list of strings'],
    ['id.citizenships', '["US"', 'must be a list of strings'],
    ['id.citizenships', Buffer.from([0x5b, 0xff]), 'must be a string'],
  ])('upload: an invalid value for %s is T120 (%#)', async (user, identifier, body, reason) => {
    expect(await user.contextOf(identifier, { body })).toEqual({ [identifier]: reason });
    expect(await user.vault.present()).toEqual({});
  });

  test('upload: is checked against the stored values, and sets derived ones', async (user) => {
    await user.upload('id.ssn9', { body: '121121212' });

    expect(await user.valueOf('id.ssn4')).toBe('1212');
    expect(await user.contextOf('id.itin', { body: '912701234' })).toEqual({
      'id.itin': 'cannot be set while id.ssn9 or id.ssn4 is present',
    });
  });

  test('upload: the checksum of a card may be skipped', async (user) => {
    const headers = { 'x-fp-ignore-luhn-validation': 'true' };

    expect((await user.upload('card.a.number', { body: '4111111111111112', headers })).status).toBe(200);
  });

  test('upload: a sandbox phone number is refused with a live key', async () => {
    await using service = await startService();
    const fpId = await service.user({}, LIVE_KEY);

    expect(await contextOf(service, fpId, 'id.phone_number', { body: '+15555550100', as: LIVE_KEY })).toEqual(
      { 'id.phone_number': 'reserved for the sandbox' },
    );
  });

  test('upload: a text that is stored already adds no version', async () => {
    await using user = await aVault({ 'id.city': 'Enclave' });

    expect((await user.upload('id.city', { body: ' Enclave' })).headers['x-fp-vault-version']).toBe('1');
    expect((await user.upload('id.city', { body: 'Springfield' })).headers['x-fp-vault-version']).toBe('2');
  });
});

describe('custom data', () => {
  test('upload: to custom.* is a file whatever it holds, and a value may take its place and it the value’s', async () => {
    await using user = await aVault({ 'custom.any': { a: 1 } });
    const json = { body: '{"a":1}', type: 'application/json' };

    await user.upload('custom.any', json);
    const asFile = await user.valueOf('custom.any');
    await user.vault.write({ 'custom.any': [2] });
    const asValue = await user.valueOf('custom.any');
    await user.upload('custom.any', json);

    const base64 = Buffer.from(json.body).toString('base64');
    expect([asFile, asValue]).toEqual([base64, [2]]);
    const versions = [1, 2, 3, 4].map((version) => `custom.any:${version}`);
    expect(Object.values(await user.vault.decrypt(versions))).toEqual([{ a: 1 }, base64, [2], base64]);
  });

  test('PATCH vault: the base64 text of a file is another value than the file', async (user) => {
    await user.upload('custom.any', { body: 'hi' });

    expect(await user.vault.write({ 'custom.any': Buffer.from('hi').toString('base64') })).toBe(2);
    expect(await user.vault.write({ 'custom.any': Buffer.from('hi').toString('base64') })).toBe(2);
  });
});
