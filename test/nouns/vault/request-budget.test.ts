/** One request has one budget of vault reads and transforms for all its fields, versions and chains. */
import nacl from 'tweetnacl';
import { describe, expect } from 'vitest';
import { aUser } from '../../support/builders.ts';
import { turnsDuring } from '../../support/event-turns.ts';
import { startProxy } from '../../support/proxy-calls.ts';
import { failureOf } from '../../support/service.ts';
import { startTarget } from '../../support/targets.ts';
import { aTokenOf, vaultOf } from '../../support/vault-calls.ts';
import { test } from '../../support/test-with.ts';

const sealedBox = () =>
  `encrypt('x25519_xsalsa20_poly1305','${Buffer.from(nacl.box.keyPair().publicKey).toString('hex')}')`;

test('decrypt: a token for one field is not multiplied through its versions', async () => {
  await using user = await aTokenOf(aUser(), { scope: 'decrypt', fields: ['id.city', 'id.zip'] });
  const versions = (count: number) => Array.from({ length: count }, (_, index) => `id.city:${index}`);

  const read = await user.decrypt({ fields: [...versions(20), 'id.zip'] });
  const refused = await user.refusedDecrypt({ fields: versions(21) });

  expect(Object.keys(read.body)).toHaveLength(21);
  expect(refused).toMatchObject(failureOf(400, 'invalid_request', 'at most 20 versions'));
});

test('decrypt: a token gets 1 MiB of longer values in a request, and no more', async () => {
  await using user = await aTokenOf(
    { 'custom.note': 'a'.repeat(30_000) },
    { scope: 'decrypt', fields: ['custom.note'] },
  );
  const grown = (length: number) => ({
    fields: ['custom.note'],
    transforms: [`replace('a','${'b'.repeat(length)}')`],
  });

  const read = await user.decrypt(grown(34));
  const refused = await user.refusedDecrypt(grown(35));

  expect(read.body['custom.note']).toHaveLength(34 * 30_000);
  expect(refused).toMatchObject(failureOf(400, 'transform_failed', '1 MiB'));
});

describe('POST /users/{fp_id}/vault/decrypt', () => {
  const fieldsOf = (count: number) => Array.from({ length: count }, (_, index) => `custom.f${index}`);
  const valuesOf = (fields: string[], value: string) =>
    Object.fromEntries(fields.map((name) => [name, value]));

  test('decrypt: values that a chain makes large are limited together, not each for itself', async (service) => {
    const vault = vaultOf(service, await service.user());
    const fields = fieldsOf(300);
    await vault.write(valuesOf(fields, 'a'.repeat(32)));
    const transforms = [`replace('a','${'b'.repeat(8_192)}')`];

    const some = await vault.decrypt(fields.slice(0, 2), { transforms });
    const all = await vault.refusedDecrypt({ fields, transforms });

    expect(some['custom.f1']).toHaveLength(32 * 8_192);
    expect(all).toMatchObject(failureOf(400, 'transform_failed', 'ask for fewer fields or shorter chains'));
  });

  test.eachWith(['decrypt', 'integrity'])(
    '%s: a thousand fields are read while others have their turns',
    async (service, what) => {
      const fp_id = await service.user();
      const vault = vaultOf(service, fp_id);
      const fields = fieldsOf(1_000);
      await vault.write(valuesOf(fields, 'short'));
      const { turns } = await turnsDuring<unknown>(() =>
        what === 'decrypt'
          ? vault.decrypt(fields)
          : service.call('POST /users/{fp_id}/vault/integrity', {
              params: { fp_id },
              body: { fields, signing_key: '0b'.repeat(16) },
            }),
      );

      expect(turns).toBeGreaterThan(50);
    },
  );
});

describe('the vault proxy', () => {
  test('reflect: public keys count over all tokens of the body', async () => {
    await using proxy = await startProxy();
    const id = await proxy.service.user(aUser());
    const body = (count: number) =>
      Array.from({ length: count }, () => `{{ id.city | ${sealedBox()} }}`).join();

    const refusal = await proxy.refusedReflect({ id, reason: 'a test', body: body(17) });

    expect(refusal).toMatchObject(failureOf(400, 'transform_invalid', 'at most 16 different public keys'));
  });

  test('jit: tokens and ingress rules have one budget', async () => {
    await using proxy = await startProxy();
    await using target = await startTarget();
    const id = await proxy.service.user(aUser());
    const body = Array.from({ length: 9 }, () => `{{ id.city | ${sealedBox()} }}`).join();
    const rules = Array.from({ length: 8 }, (_, index) => `custom.r${index}=$.r${index} | ${sealedBox()}`);

    const refusal = await proxy.refusedJit({ target: target.url, id, body, rules });

    expect([refusal.code, target.connections]).toEqual(['transform_invalid', 0]);
  });
});
