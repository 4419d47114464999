/** What the target of a proxy call receives in place of the template's tokens (contract §3.3, tokens and escaping). */
import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { aPng, aUser } from '../../support/builders.ts';
import type { ProxyParts } from '../../support/proxy-calls.ts';
import { vaultOf } from '../../support/vault-calls.ts';
import { testWith } from '../../support/test-with.ts';
import { aCall } from './a-call.ts';

const test = testWith(aCall);

/** Returns the body that the target receives. */
async function sent(call: Awaited<ReturnType<typeof aCall>>, body: unknown, parts: ProxyParts = {}) {
  const reply = await call.jit({ body, ...parts });
  if (reply.status !== 200) throw new Error(`jit answered ${reply.status}: ${reply.text}`);
  return call.target.requests.at(-1)?.body.toString('utf8') ?? '';
}

test('jit: tokens that name two users and a business in one JSON body, without x-fp-id', async (call) => {
  const other = await call.service.user(aUser({ 'id.first_name': 'Maximilian' }));
  const business = await call.service.business();

  const body = {
    people: [`{{ ${call.id}.id.first_name }}`, `{{ ${other}.id.first_name }}`],
    employer: `{{ ${business}.business.name }}`,
  };
  const text = await sent(call, body, { id: undefined });

  expect(JSON.parse(text)).toEqual({ people: ['Wilhelmina', 'Maximilian'], employer: 'Acme Incorporated' });
});

test('jit: x-fp-id may be a business', async (call) => {
  const business = await call.service.business();

  expect(await sent(call, '{{ business.name }}', { id: business })).toBe('Acme Incorporated');
});

test.eachWith([
  ['an identifier that is derived from another one', '{{ id.ssn4 }}', '1212'],
  ['one datum under two chains', '{{ id.last_name | prefix(1) }}{{ id.last_name | suffix(3) }}', 'Oran'],
])('jit: %s is read, too', async (call, _, body, text) => {
  expect(await sent(call, body)).toBe(text);
});

test('jit: a version after the identifier reads that one', async (call) => {
  await vaultOf(call.service, call.id).write({ 'id.city': 'Elsewhere' });

  expect(await sent(call, '{{ id.city:1 }} {{ id.city }}')).toBe('Enclave Elsewhere');
});

const AWKWARD = 'a "quoted"\\ line\n{{ id.city }} é 漢字';

test('jit: a body that is no text goes byte for byte', async (call) => {
  const bytes = Buffer.from([0, 1, 0xff, 0xfe, 0x7b, 0x7b, 0xc3, 0x28, 0x0d, 0x0a]);

  await sent(call, Buffer.concat([bytes, Buffer.from('{{id.city}}'), bytes]));

  const [request] = call.target.requests;
  expect(request?.body).toEqual(Buffer.concat([bytes, Buffer.from('Enclave'), bytes]));
});

test('jit: a file goes in as base64, its hmac is that of its bytes', async (call) => {
  const image = 'document.passport.front.image';
  await call.service.upload(call.id, image, aPng());

  const text = await sent(call, `{{ ${image} }} {{ ${image} | hmac_sha256('00ff') }}`);

  const hmac = createHmac('sha256', Buffer.from('00ff', 'hex')).update(aPng()).digest('hex');
  expect(text).toBe(`${aPng().toString('base64')} ${hmac}`);
});

test('reflect: returns the body as it would be sent, under the content type it would have', async () => {
  await using call = await aCall({ 'custom.note': AWKWARD });
  const json = { body: '{"note":"{{ custom.note }}"}', reason: 'a look' };

  const asJson = await call.reflect(json);
  const asText = await call.reflect({ ...json, forward: { 'content-type': 'text/x-note' } });

  expect([asJson.status, asJson.headers['content-type']]).toEqual([200, 'application/json']);
  expect(asJson.body).toEqual({ note: AWKWARD });
  expect([asText.headers['content-type'], asText.text]).toEqual(['text/x-note', `{"note":"${AWKWARD}"}`]);
});

test('reflect: an empty body is answered with an empty one, without a type', async (call) => {
  const reply = await call.reflect({ reason: 'a look' });

  expect([reply.status, reply.text, reply.headers['content-type']]).toEqual([200, '', undefined]);
});

test('reflect: needs no target, no scope of the preview, and opens no connection', async (call) => {
  const as = await call.service.key({ permissions: ['proxy', 'decrypt:id.city'], scopes: [] });

  const reply = await call.reflect({ body: '{{ id.city }}', as, reason: 'a look', target: call.target.url });

  expect([reply.status, reply.text, call.target.connections]).toEqual([200, 'Enclave', 0]);
});

test('render: shows the request as it would be sent, by masks, and sends nothing', async (call) => {
  const { tokens, ...rendering } = await call.render({
    pathAndQuery: 'customers?of=1',
    method: 'PUT',
    forward: { 'x-own': 'yes' },
    rules: ['custom.color=$.color | to_uppercase'],
    body: { name: '{{ id.first_name }}', ssn: '{{ id.ssn9 | suffix(4) }}' },
  });

  expect(rendering).toEqual({
    requestId: expect.any(String) as string,
    method: 'PUT',
    url: `${call.target.url}/customers?of=1`,
    headers: {
      accept: '*/*',
      'accept-encoding': 'identity',
      'user-agent': 'service-vault-proxy/1',
      'x-own': 'yes',
      'content-type': 'application/json',
    },
    body: '{"name":"W***","ssn":"***"}',
    encoding: 'utf8',
    masked: true,
    policy: 'local',
    resolved_addresses: ['127.0.0.1'],
    stripped: expect.arrayContaining(['x-service-secret-key', 'x-fp-id']) as string[],
    ingress: [`${call.id}.custom.color=$.color | to_uppercase`],
  });
  expect(tokens.map(({ found, transforms }) => [found, transforms])).toEqual([
    [true, []],
    [true, ['suffix']],
  ]);
  expect(call.target.connections).toBe(0);
});

test('render: a body that is no UTF-8 is shown as base64', async (call) => {
  const body = Buffer.from([0xff, 0xfe, 0x00]);

  const rendering = await call.render({ body });

  expect([rendering.encoding, rendering.body]).toEqual(['base64', body.toString('base64')]);
});

test('render: for GET it shows no body and looks at no token', async (call) => {
  const rendering = await call.render({ method: 'GET', body: '{{ id.nothing | }}' });

  expect([rendering.method, rendering.body, rendering.tokens]).toEqual(['GET', '', []]);
  expect(rendering.headers).not.toHaveProperty('content-type');
});
