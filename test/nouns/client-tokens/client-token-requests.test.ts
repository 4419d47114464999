/** Which client tokens can be minted, for which entity and by which caller (contract §0.3, §2.2, §2.15). */
import { describe, expect } from 'vitest';
import { failureOf, startService } from '../../support/service.ts';
import { aTokenUser } from '../../support/vault-calls.ts';
import { testWith } from '../../support/test-with.ts';

const MINT_FOR_BUSINESS = 'POST /businesses/{fp_bid}/client_token';

const test = testWith(aTokenUser);

describe('refusals', () => {
  const fields = ['id.email'];

  test.eachWith<[what: string, body: Record<string, unknown>, named: string]>([
    ['no scope', { fields }, 'scope'],
    ['scope and scopes', { scope: 'vault', scopes: ['vault'], fields }, 'scopes'],
    ['scope null', { scope: null, fields }, 'scope'],
    ['scopes with one that is new', { scopes: ['vault_and_decrypt'], fields }, 'scopes'],
    ['scopes with vault_card', { scopes: ['vault_card'] }, 'scopes'],
    ['decrypt_download beside another', { scopes: ['decrypt', 'decrypt_download'], fields }, 'scopes'],
    ['no fields', { scope: 'vault' }, 'fields'],
    ['an empty list', { scope: 'vault', fields: [] }, 'fields'],
    ['fields with vault_card', { scope: 'vault_card', fields: ['card.a.number'] }, 'fields'],
    ['no field with vault_card', { scope: 'vault_card', fields: [] }, 'fields'],
    ['two fields to download', { scope: 'decrypt_download', fields: ['id.email', 'id.dob'] }, 'fields'],
    ['no field to download', { scope: 'decrypt_download' }, 'fields'],
    ['a wildcard', { scope: 'vault', fields: ['id.*'] }, 'id.*'],
    ['a wildcard for all', { scope: 'decrypt', fields: ['*'] }, '*'],
    ['a custom wildcard', { scope: 'vault', fields: ['custom.*'] }, 'custom.*'],
    ['a card without its field', { scope: 'vault', fields: ['card.a'] }, 'card.a'],
    ['a version suffix', { scope: 'decrypt', fields: ['id.email:1'] }, 'id.email:1'],
    ['an unknown identifier', { scope: 'vault', fields: ['id.email', 'id.shoe_size'] }, 'id.shoe_size'],
    ['a name of the language', { scope: 'vault', fields: ['__proto__'] }, '__proto__'],
    ['an identifier of a business', { scope: 'vault', fields: ['id.dob', 'business.name'] }, 'business.name'],
  ])('client_token: %s is 400 naming it', async (user, _what, body, named) => {
    expect(await user.refusedMint(body)).toMatchObject(failureOf(400, 'invalid_request', named));
    expect(await user.list()).toEqual([]);
  });

  test('client_token of a business: identifiers of users are 400 naming them', async () => {
    await using service = await startService();
    const params = { fp_bid: await service.business() };
    for (const field of ['id.email', 'card.a.number', 'document.passport.front.image']) {
      const body = { scope: 'vault', fields: ['business.name', field] };

      const answer = await service.refused(MINT_FOR_BUSINESS, { params, body });

      expect(answer).toMatchObject(failureOf(400, 'invalid_request', field));
      expect(answer.message).not.toContain('business.name');
    }
  });
});

describe('the key that mints', () => {
  const minting = (scope: string) => ({ scope, fields: ['id.email', 'id.dob'] });

  test.eachWith([
    [['decrypt:*'], 'vault', 'write'],
    [['decrypt:*'], 'vault_and_decrypt', 'write'],
    [['vault.write'], 'decrypt', 'decrypt'],
    [['vault.write'], 'vault_and_decrypt', 'decrypt'],
  ] as const)('client_token: a key with %j gets none of scope %s', async (user, permissions, scope, act) => {
    const as = await user.service.key({ permissions: [...permissions] });

    expect(await user.refusedMint(minting(scope), as)).toMatchObject({
      status: 403,
      code: 'permission_denied',
      message: `This key lacks the permission ${act}<id.email>, ${act}<id.dob>`,
      context: {
        'id.email': 'not permitted for this credential',
        'id.dob': 'not permitted for this credential',
      },
    });
    expect(await user.list()).toEqual([]);
  });

  test('client_token: a key that may not write gets no vault_card', async (user) => {
    const as = await user.service.key({ permissions: ['decrypt:*'] });

    const answer = await user.refusedMint({ scope: 'vault_card' }, as);

    expect(answer).toMatchObject({ status: 403, code: 'permission_denied' });
    expect(Object.keys(answer.context ?? {})).toHaveLength(6);
  });

  test('client_token: only the fields that the key may not decrypt are named', async (user) => {
    const as = await user.service.key({ permissions: ['decrypt:id.email'] });
    const download = (field: string) => ({ scope: 'decrypt_download', fields: [field] });

    expect((await user.refusedMint(minting('decrypt'), as)).context).toEqual({
      'id.dob': 'not permitted for this credential',
    });
    expect((await user.refusedMint(download('id.dob'), as)).context).toEqual({
      'id.dob': 'not permitted for this credential',
    });
    expect((await user.mint(download('id.email'), as)).fields).toEqual(['id.email']);
  });

  test("client_token: a permission for the family or for writing covers the token's fields", async (user) => {
    const reader = await user.service.key({ permissions: ['decrypt:id.*'] });
    const writer = await user.service.key({ permissions: ['vault.write'] });

    expect((await user.mint(minting('decrypt'), reader)).fields).toHaveLength(2);
    expect((await user.mint(minting('vault'), writer)).fields).toHaveLength(2);
  });
});
