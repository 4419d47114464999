/** Unusual, hostile and very large JSON (contract §0.8, §0.10). */
import { describe, expect, test } from 'vitest';
import { asRefusal } from '../support/service.ts';
import { shareStage } from '../support/shared-stage.ts';
import { vaultOf } from '../support/vault-calls.ts';

const shared = shareStage();

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
  const names = '__proto__ constructor prototype toString hasOwnProperty id.__proto__ id.constructor'.split(
    ' ',
  );

  test.each(names)('POST /users: %s is an unknown identifier', async (name) => {
    const refusal = await refusalOf(`{"${name}":{"id.ssn9":"121121212"}}`);

    expect(refusal).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(refusal.message).toContain(name);
    expect(Object.prototype).not.toHaveProperty('id.ssn9');
  });

  test.each(['__proto__', 'constructor', 'prototype'])(
    'custom: a member %s is kept as any other',
    async (name) => {
      const text = `{"a":1,"${name}":{"${name}":[true]},"z":null}`;

      const value = await roundTrip(`{"custom.odd":${text}}`, 'custom.odd');

      expect(JSON.stringify(value)).toBe(text);
    },
  );
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

describe('numbers', () => {
  const EXACT = '9007199254740993 -9007199254740993 12345678901234567890 1e21 1E+2 1e400 1.10 -0'.split(' ');
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
});

test('POST /users: of a repeated member the last wins', async () => {
  expect(await roundTrip('{"id.city":"A","id.city":"B"}', 'id.city')).toBe('B');
  expect(await roundTrip('{"custom.x":{"a":1,"a":2}}', 'custom.x')).toEqual({ a: 2 });
});
