/** Unusual, hostile and very large JSON (contract §0.8, §0.10). */
import { describe, expect, test } from 'vitest';
import { VAULT_BODY_LIMIT_BYTES } from '../../src/contract/facts/limits.ts';
import { asRefusal } from '../support/service.ts';
import { shareStage } from '../support/shared-stage.ts';
import { vaultOf } from '../support/vault-calls.ts';

const shared = shareStage();
const nested = (depth: number, of = '1') => '['.repeat(depth) + of + ']'.repeat(depth);
const objects = (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);

/** Sends the text of a body unchanged and returns the decrypted value of the field. */
async function roundTrip(text: string, field: string): Promise<unknown> {
  const service = await shared.service();
  const reply = await service.send({ method: 'POST', path: '/users', body: text });
  expect(reply.status, reply.text).toBe(200);
  const { id } = reply.body as { id: string };
  return (await vaultOf(service, id).decrypt([field]))[field];
}

async function refusalOf(text: string) {
  const service = await shared.service();
  return asRefusal(await service.send({ method: 'POST', path: '/users', body: text }), text.slice(0, 100));
}

describe('names that mean something to the language', () => {
  const names = [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'id.__proto__',
    'id.constructor',
  ];

  test.each(names)('POST /users: %s is an unknown identifier', async (name) => {
    const refusal = await refusalOf(`{"${name}":{"id.ssn9":"121121212"}}`);

    expect(refusal).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(refusal.message).toContain(name);
    expect(Object.prototype).not.toHaveProperty('id.ssn9');
  });

  test.each(names)('decrypt: %s is an unknown identifier', async (name) => {
    const service = await shared.service();
    const vault = vaultOf(service, await service.user({}));

    const refusal = await vault.refusedDecrypt({ fields: [name] });

    expect(refusal).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(refusal.message).toContain(name);
  });

  test.each(['__proto__', 'constructor', 'prototype'])(
    'custom: a member %s is kept as any other',
    async (name) => {
      const text = `{"a":1,"${name}":{"${name}":[true]},"z":null}`;

      const value = await roundTrip(`{"custom.odd":${text}}`, 'custom.odd');

      expect(JSON.stringify(value)).toBe(text);
    },
  );

  test('custom: suffixes may be spelt like them', async () => {
    expect(await roundTrip('{"custom.__proto__":[1]}', 'custom.__proto__')).toEqual([1]);
    expect(await roundTrip('{"custom.constructor":"x"}', 'custom.constructor')).toBe('x');
  });
});

describe('text', () => {
  test.each([
    ['in a value', String.raw`{"custom.x":"\ud800"}`],
    ['in a nested value', String.raw`{"custom.x":{"a":["\udc00"]}}`],
    ['in a member name', String.raw`{"custom.x":{"\uDBFF":1}}`],
    ['in the wrong order', String.raw`{"custom.x":"\udc00\ud800"}`],
    ['in an identifier', String.raw`{"custom.\ud800":1}`],
    ['in a typed value', String.raw`{"id.first_name":"Jane\udfff"}`],
  ])('POST /users: an unpaired surrogate %s is 400', async (_where, text) => {
    expect(await refusalOf(text)).toMatchObject({ status: 400 });
  });

  test('custom: paired surrogates and an escaped backslash before u are text', async () => {
    expect(await roundTrip(String.raw`{"custom.x":"\ud83d\ude00"}`, 'custom.x')).toBe('😀');
    expect(await roundTrip(String.raw`{"custom.x":"\\ud800"}`, 'custom.x')).toBe(String.raw`\ud800`);
  });

  test('custom: control characters and outer blanks are kept', async () => {
    expect(await roundTrip(String.raw`{"custom.x":" \u0000\n\t "}`, 'custom.x')).toBe(' \0\n\t ');
  });

  test.each([Buffer.from([0xff, 0xfe]), Buffer.from('{"custom.x":"\xe9"}', 'latin1')])(
    'POST /users: bytes that are no UTF-8 are 400 (%#)',
    async (body) => {
      const service = await shared.service();

      const headers = { 'content-type': 'application/json' };
      const reply = await service.send({ method: 'POST', path: '/users', headers, body });

      expect(asRefusal(reply, 'POST /users')).toMatchObject({ status: 400, code: 'invalid_json' });
    },
  );
});

describe('depth', () => {
  test.each([nested(64), objects(64), nested(63, '{"a":1}')])(
    'custom: 64 levels are kept (%#)',
    async (text) => {
      expect(JSON.stringify(await roundTrip(`{"custom.x":${text}}`, 'custom.x'))).toBe(text);
    },
  );

  test.each([nested(65), objects(65), nested(64, '[]'), nested(12_000)])(
    'custom: 65 levels and more are T120 (%#)',
    async (text) => {
      expect(await refusalOf(`{"custom.x":${text}}`)).toMatchObject({
        code: 'T120',
        context: { 'custom.x': 'nested too deeply' },
      });
    },
  );

  test.each(['POST /users', 'PATCH /_kyclone/settings'] as const)(
    '%s: a body nested as deep as it is long is no failure of ours',
    async (key) => {
      const { service, sample } = await shared.freshSample(key);
      const members = ['custom.x', 'id.first_name', 'fields', 'vocabulary', 'hosts', 'unheard_of'];

      for (const body of [
        nested(16_000),
        objects(5_000),
        ...members.map((name) => `{"${name}":${nested(16_000)}}`),
      ]) {
        const reply = await service.send({ ...sample, body });
        expect(reply.status, body.slice(0, 30)).toBeLessThan(500);
      }
      expect((await service.send({ method: 'GET', path: '/_kyclone/requests' })).status).toBe(200);
    },
  );
});

describe('numbers', () => {
  test.each(['9007199254740991', '-9007199254740991', '0', '-0.5', '0.1', '5e-324'])(
    'custom: %s is kept',
    async (text) => {
      expect(await roundTrip(`{"custom.x":[${text}]}`, 'custom.x')).toEqual([Number(text)]);
    },
  );

  const EXACT = [
    '9007199254740993',
    '-9007199254740993',
    '12345678901234567890',
    '1e21',
    '1E+2',
    '1e400',
    '1.10',
    '-0',
  ];
  test.each(EXACT)('custom: %s keeps its text, alone and in a value, however it is read', async (text) => {
    const service = await shared.service();
    const fp_id = await service.user();
    const path = `/users/${fp_id}/vault`;
    const values = `{"custom.x":${text},"custom.y":{"a":[${text},"${text}"]}}`;
    const decrypt = (transforms = '') =>
      service.send({
        method: 'POST',
        path: `${path}/decrypt`,
        body: `{"fields":["custom.x","custom.y"],"reason":"a test"${transforms}}`,
      });

    const written = await service.send({ method: 'PATCH', path, body: values });

    expect([written.status, written.text]).toEqual([200, '{}']);
    expect((await decrypt()).text).toBe(values);
    expect((await decrypt(',"transforms":["prefix(100)"]')).text).toBe(
      JSON.stringify({ 'custom.x': text, 'custom.y': `{"a":[${text},"${text}"]}` }),
    );
  });

  test.each([
    ['id.ssn4', '1234', '1234'],
    ['id.zip', '94117', '94117'],
    ['id.first_name', '-7', '-7'],
    ['id.first_name', '9007199254740991', '9007199254740991'],
    ['id.first_name', '1.0', '1'],
  ])('POST /users: an integer for the text %s is its decimal text', async (field, number, text) => {
    expect(await roundTrip(`{"${field}":${number}}`, field)).toBe(text);
  });

  test.each(['1.5', '9007199254740992', 'true', '[]', '{}', '["x"]'])(
    'POST /users: %s for a text is refused',
    async (value) => {
      expect((await refusalOf(`{"id.first_name":${value}}`)).context).toEqual({
        'id.first_name': 'must be a string',
      });
    },
  );
});

describe('members', () => {
  test('POST /users: of a repeated member the last wins', async () => {
    expect(await roundTrip('{"id.city":"A","id.city":"B"}', 'id.city')).toBe('B');
    expect(await roundTrip('{"custom.x":{"a":1,"a":2}}', 'custom.x')).toEqual({ a: 2 });
  });

  test('POST /users: a body at its limit to the byte is stored whole', async () => {
    const frame = '{"custom.x":""}';
    const text = 'é'.repeat((VAULT_BODY_LIMIT_BYTES - frame.length - 1) / 2) + 'x';
    const body = `{"custom.x":"${text}"}`;
    expect(Buffer.byteLength(body)).toBe(VAULT_BODY_LIMIT_BYTES);

    expect(await roundTrip(body, 'custom.x')).toBe(text);
    expect(await refusalOf(`${body} `)).toMatchObject({ status: 413, code: 'payload_too_large' });
  });

  test('POST /users: many identifiers are stored together', async () => {
    const service = await shared.service();
    const entries = Array.from({ length: 1500 }, (_, number) => [`custom.n${number}`, number]);
    const fp_id = await service.user(Object.fromEntries(entries) as Record<string, unknown>);

    expect(await vaultOf(service, fp_id).decrypt(['custom.n0', 'custom.n1499'])).toEqual({
      'custom.n0': 0,
      'custom.n1499': 1499,
    });
  });
});
