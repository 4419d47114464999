/** Decrypting with a client token: its reasons, and what the access log records (contract §2.5, §11). */
import { describe, expect, test } from 'vitest';
import { aUser } from '../../support/builders.ts';
import { failureOf } from '../../support/service.ts';
import { accessLog, aTokenOf } from '../../support/vault-calls.ts';

const DENIED = 'not permitted for this credential';

test('decrypt: without fields gives all fields of the token in their order, absent ones null', async () => {
  await using user = await aTokenOf(aUser({ 'custom.x': { a: [1] } }), {
    scope: 'decrypt',
    fields: ['id.zip', 'custom.x', 'id.middle_name', 'id.ssn4'],
  });

  expect(Object.entries((await user.decrypt({})).body)).toEqual([
    ['id.zip', '94117'],
    ['custom.x', { a: [1] }],
    ['id.middle_name', null],
    ['id.ssn4', '1212'],
  ]);
});

test('decrypt: no fields give no values, some give some, repeats are merged', async () => {
  await using user = await aTokenOf(aUser(), { scope: 'decrypt', fields: ['id.zip', 'id.city', 'id.dob'] });

  expect((await user.decrypt({ fields: [] })).body).toEqual({});
  expect(Object.entries((await user.decrypt({ fields: ['id.dob', 'id.zip', 'id.dob'] })).body)).toEqual([
    ['id.dob', '1988-12-30'],
    ['id.zip', '94117'],
  ]);
});

test('decrypt: reads earlier versions by suffix and by header', async () => {
  await using user = await aTokenOf(
    { 'id.city': 'Enclave' },
    { scope: 'vault_and_decrypt', fields: ['id.city'] },
  );
  await user.write({ 'id.city': 'Springfield' });
  const fields = ['id.city:1', 'id.city:2', 'id.city:0', 'id.city:3', 'id.city'];

  const bySuffix = await user.decrypt({ fields });
  const byHeader = await user.decrypt({}, { 'x-fp-vault-version': '1' });

  expect(Object.values(bySuffix.body)).toEqual(['Enclave', 'Springfield', null, null, 'Springfield']);
  expect([byHeader.body, byHeader.version]).toEqual([{ 'id.city': 'Enclave' }, 2]);
});

test('decrypt: an identifier outside the token is 403 with each of them, and no value', async () => {
  await using user = await aTokenOf(aUser(), { scope: 'decrypt', fields: ['id.city'] });

  expect(await user.refusedDecrypt({ fields: ['id.city', 'id.zip', 'id.dob:1'] })).toMatchObject({
    status: 403,
    code: 'permission_denied',
    message: 'This token does not cover decrypt<id.zip>, decrypt<id.dob:1>',
    context: { 'id.zip': DENIED, 'id.dob:1': DENIED },
  });
});

describe('reasons and the access log', () => {
  const minting = { scope: 'decrypt', fields: ['id.city', 'id.zip'] };

  type User = Awaited<ReturnType<typeof aTokenOf>>;
  const idOf = async (refused: ReturnType<User['refusedDecrypt']>, expected: object) => {
    const refusal = await refused;
    expect(refusal).toMatchObject(expected);
    return refusal.headers['x-request-id'];
  };
  test.each<[what: string, minting: Record<string, unknown>, act: (user: User) => unknown, entry: object]>([
    [
      'granted',
      minting,
      async (user) => (await user.decrypt({ fields: ['id.zip', 'id.city:1'], reason: 'called' })).requestId,
      { outcome: 'granted', reason: 'called', identifiers: ['id.zip', 'id.city:1'] },
    ],
    [
      'refused without any reason, which is 400',
      minting,
      (user) => idOf(user.refusedDecrypt({ reason: undefined }), failureOf(400, 'reason_required')),
      { outcome: 'refused', reason: null, identifiers: minting.fields },
    ],
    [
      'refused beyond the token, with all requested identifiers',
      minting,
      (user) =>
        idOf(user.refusedDecrypt({ fields: ['id.city', 'id.dob'], reason: 'curious' }), { status: 403 }),
      { outcome: 'refused', reason: 'curious', identifiers: ['id.city', 'id.dob'] },
    ],
    [
      'refused with a token that may not, whatever the body says',
      { scope: 'vault', fields: ['id.city'] },
      (user) => idOf(user.refusedDecrypt({ fields: ['id.city'], reason: 'hidden' }), { status: 403 }),
      { outcome: 'refused', reason: null, identifiers: [] },
    ],
  ])(
    'decrypt: is an entry with the record of the token as its actor: %s',
    async (_what, minted, act, entry) => {
      await using user = await aTokenOf(aUser(), minted);

      const request_id = await act(user);

      expect(await accessLog(user.service)).toMatchObject([
        {
          operation: 'decrypt',
          fp_id: user.fp_id,
          request_id,
          tenant: 'default',
          environment: 'sandbox',
          ...entry,
          actor: { kind: 'client_token', id: user.tokenId },
        },
      ]);
      expect(user.tokenId).toMatch(/^tok_[0-9A-Za-z]{22}$/);
      expect((await user.service.call('GET /_kyclone/access-log/verify')).body.ok).toBe(true);
    },
  );

  test('decrypt: the reason of the body wins, else that of the token counts', async () => {
    await using user = await aTokenOf(aUser(), { ...minting, decrypt_reason: 'of the token' });

    await user.decrypt({ reason: 'of the body' });
    await user.decrypt({ reason: undefined });

    expect((await accessLog(user.service)).map(({ reason }) => reason)).toEqual([
      'of the token',
      'of the body',
    ]);
  });

  test('write, validate: add no entry to the access log, refused or not', async () => {
    await using user = await aTokenOf(aUser(), { scope: 'vault', fields: ['id.city'] });

    await user.write({ 'id.city': 'Springfield' });
    await user.refusedWrite({ 'id.zip': '1' });
    await user.validate({ 'id.city': 'Enclave' });

    expect(await accessLog(user.service)).toEqual([]);
  });
});
