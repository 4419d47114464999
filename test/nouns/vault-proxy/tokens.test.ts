/** What the target of a proxy call receives in place of the template's tokens (contract §3.3, tokens and escaping). */
import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { aPng, aUser } from '../../support/builders.ts';
import { startProxy, type ProxyParts } from '../../support/proxy-calls.ts';
import { startTarget } from '../../support/targets.ts';
import { vaultOf } from '../../support/vault-calls.ts';
import { testWith } from '../../support/test-with.ts';

/** Makes a user with data and a target that records what it receives. */
async function aUserAndTarget(data: Record<string, unknown> = aUser()) {
  const proxy = await startProxy();
  const target = await startTarget();
  const id = await proxy.service.user(data);
  return {
    ...proxy,
    target,
    id,
    async sent(body: unknown, parts: ProxyParts = {}): Promise<string> {
      const reply = await proxy.jit({ target: target.url, body, ...parts });
      if (reply.status !== 200) throw new Error(`jit answered ${reply.status}: ${reply.text}`);
      return target.requests.at(-1)?.body.toString('utf8') ?? '';
    },
    async [Symbol.asyncDispose]() {
      await target[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
    },
  };
}

const test = testWith(aUserAndTarget);

test('jit: tokens of two users and a business in one JSON body', async (call) => {
  const other = await call.service.user(aUser({ 'id.first_name': 'Maximilian' }));
  const business = await call.service.business();

  const sent = await call.sent({
    people: [`{{ ${call.id}.id.first_name }}`, `{{ ${other}.id.first_name }}`],
    employer: `{{ ${business}.business.name }}`,
  });

  expect(JSON.parse(sent)).toEqual({ people: ['Wilhelmina', 'Maximilian'], employer: 'Acme Incorporated' });
});

test('jit: x-fp-id may be a business', async (call) => {
  const business = await call.service.business();

  expect(await call.sent('{{ business.name }}', { id: business })).toBe('Acme Incorporated');
});

test('jit: an identifier that is derived from another one is read, too', async (call) => {
  expect(await call.sent('{{ id.ssn4 }}', { id: call.id })).toBe('1212');
});

test('jit: a version after the identifier reads that one', async () => {
  await using call = await aUserAndTarget({ 'id.city': 'Enclave' });
  await vaultOf(call.service, call.id).write({ 'id.city': 'Elsewhere' });

  const sent = await call.sent('{{ id.city:1 }} {{ id.city }}', { id: call.id });

  expect(sent).toBe('Enclave Elsewhere');
});

test('jit: one datum under two chains is two values', async (call) => {
  const sent = await call.sent('{{ id.last_name | prefix(1) }}{{ id.last_name | suffix(3) }}', {
    id: call.id,
  });

  expect(sent).toBe('Oran');
});

const AWKWARD = 'a "quoted"\\ line\n{{ id.city }} é 漢字';

test('jit: a body that is no text goes byte for byte', async (call) => {
  const bytes = Buffer.from([0, 1, 0xff, 0xfe, 0x7b, 0x7b, 0xc3, 0x28, 0x0d, 0x0a]);

  await call.sent(Buffer.concat([bytes, Buffer.from('{{id.city}}'), bytes]), { id: call.id });

  const [request] = call.target.requests;
  expect(request?.body).toEqual(Buffer.concat([bytes, Buffer.from('Enclave'), bytes]));
});

test('jit: a file goes in as base64, its hmac is that of its bytes', async (call) => {
  const image = 'document.passport.front.image';
  await call.service.upload(call.id, image, aPng());

  const sent = await call.sent(`{{ ${image} }} {{ ${image} | hmac_sha256('00ff') }}`, { id: call.id });

  const hmac = createHmac('sha256', Buffer.from('00ff', 'hex')).update(aPng()).digest('hex');
  expect(sent).toBe(`${aPng().toString('base64')} ${hmac}`);
});

test('reflect: returns the body as it would be sent, under the content type it would have', async () => {
  await using call = await aUserAndTarget({ 'custom.note': AWKWARD });
  const json = { body: '{"note":"{{ custom.note }}"}', id: call.id, reason: 'a look' };

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

  const reply = await call.reflect({
    body: '{{ id.city }}',
    id: call.id,
    as,
    reason: 'a look',
    target: call.target.url,
  });

  expect([reply.status, reply.text, call.target.connections]).toEqual([200, 'Enclave', 0]);
});

test('render: shows the request as it would be sent, by masks, and sends nothing', async (call) => {
  const { tokens, ...rendering } = await call.render({
    target: call.target.url,
    pathAndQuery: 'customers?of=1',
    method: 'PUT',
    id: call.id,
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

  const rendering = await call.render({ target: call.target.url, body });

  expect([rendering.encoding, rendering.body]).toEqual(['base64', body.toString('base64')]);
});

test('render: for GET it shows no body and looks at no token', async (call) => {
  const rendering = await call.render({ target: call.target.url, method: 'GET', body: '{{ id.nothing | }}' });

  expect([rendering.method, rendering.body, rendering.tokens]).toEqual(['GET', '', []]);
  expect(rendering.headers).not.toHaveProperty('content-type');
});
