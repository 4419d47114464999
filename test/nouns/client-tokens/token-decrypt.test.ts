/** Decrypting with a client token: its reasons, and what the access log records (contract §2.5, §11). */
import { describe, expect, test } from 'vitest';
import { aUser } from '../../support/builders.ts';
import { failureOf } from '../../support/service.ts';
import { accessLog, aTokenOf } from '../../support/vault-calls.ts';

const DENIED = 'not permitted for this credential';

describe('POST /users/vault/decrypt', () => {
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
});

describe('reasons and the access log', () => {
  const minting = { scope: 'decrypt', fields: ['id.city', 'id.zip'] };

  test('decrypt: is an entry with the record of the token as its actor', async () => {
    await using user = await aTokenOf(aUser(), minting);

    const { requestId } = await user.decrypt({ fields: ['id.zip', 'id.city:1'], reason: 'called' });

    expect(await accessLog(user.service)).toMatchObject([
      {
        ...{ operation: 'decrypt', outcome: 'granted', reason: 'called', fp_id: user.fp_id },
        ...{ identifiers: ['id.zip', 'id.city:1'], request_id: requestId },
        ...{ tenant: 'default', environment: 'sandbox' },
        actor: { kind: 'client_token', id: user.tokenId },
      },
    ]);
    expect(user.tokenId).toMatch(/^tok_[0-9A-Za-z]{22}$/);
  });

  test('decrypt: the reason of the body wins, else that of the token counts', async () => {
    await using user = await aTokenOf(aUser(), { ...minting, decrypt_reason: 'of the token' });

    await user.decrypt({ reason: 'of the body' });
    await user.decrypt({ reason: undefined });

    expect((await accessLog(user.service)).map(({ reason }) => reason)).toEqual([
      'of the token',
      'of the body',
    ]);
  });

  test('decrypt: without any reason is 400, and a refusal in the log', async () => {
    await using user = await aTokenOf(aUser(), minting);

    expect(await user.refusedDecrypt({ reason: undefined })).toMatchObject(failureOf(400, 'reason_required'));
    expect(await accessLog(user.service)).toMatchObject([
      {
        ...{ operation: 'decrypt', outcome: 'refused', reason: null, identifiers: minting.fields },
        actor: { kind: 'client_token', id: user.tokenId },
      },
    ]);
  });

  test('decrypt: beyond the token is logged as a refusal with all requested identifiers', async () => {
    await using user = await aTokenOf(aUser(), minting);

    await user.refusedDecrypt({ fields: ['id.city', 'id.dob'], reason: 'curious' });

    expect(await accessLog(user.service)).toMatchObject([
      {
        ...{ operation: 'decrypt', outcome: 'refused', reason: 'curious', fp_id: user.fp_id },
        identifiers: ['id.city', 'id.dob'],
        actor: { kind: 'client_token', id: user.tokenId },
      },
    ]);
  });

  test('decrypt: with a token that may not is a refusal in the log, whatever the body says', async () => {
    await using user = await aTokenOf(aUser(), { scope: 'vault', fields: ['id.city'] });

    await user.refusedDecrypt({ fields: ['id.city'], reason: 'hidden' });

    expect(await accessLog(user.service)).toMatchObject([
      {
        ...{ operation: 'decrypt', outcome: 'refused', reason: null, identifiers: [], fp_id: user.fp_id },
        actor: { kind: 'client_token', id: user.tokenId },
      },
    ]);
    expect((await user.service.call('GET /_kyclone/access-log/verify')).body.ok).toBe(true);
  });

  test('write, validate: add no entry to the access log, refused or not', async () => {
    await using user = await aTokenOf(aUser(), { scope: 'vault', fields: ['id.city'] });

    await user.write({ 'id.city': 'Springfield' });
    await user.refusedWrite({ 'id.zip': '1' });
    await user.validate({ 'id.city': 'Enclave' });

    expect(await accessLog(user.service)).toEqual([]);
  });
});
