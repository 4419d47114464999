/** What the journal and the explanation show of a proxy call (contract §11). */
import { describe, expect } from 'vitest';
import { createAuthority } from '../../../src/cli/echo/authority.ts';
import { aUser } from '../../support/builders.ts';
import { aKeyThatMay, startProxy, type ProxyParts, type TestProxy } from '../../support/proxy-calls.ts';
import { SANDBOX_KEY } from '../../support/service.ts';
import { jsonTarget, startRawTarget, startTarget } from '../../support/targets.ts';
import { testWith } from '../../support/test-with.ts';
import { aCall, aCallTo } from './a-call.ts';

/** Letters that are in no header, name or id. */
const NAME = 'QZXJKVWPYB';
const DATA = { 'id.first_name': NAME, 'custom.note': NAME };

const test = testWith(() => aCall(aUser(DATA)));

describe('success', () => {
  test('explain, requests: tokens, headers, addresses, ingress and the answer of a call', async () => {
    const handler = jsonTarget({ city: 'Enclave' }, { status: 201 });
    await using proxy = await aCallTo(await startTarget({ handler }));
    const { id, target } = proxy;

    const reply = await proxy.jit({
      pathAndQuery: '/customers?of=1',
      reason: 'why',
      rules: ['id.city=$.city | to_uppercase', 'custom.a=$.a'],
      forward: { 'x-own': 'yes' },
      body: { name: '{{ id.first_name }}', ssn: "{{ id.ssn9 | suffix(4) | replace('1', 'x') }}" },
    });

    expect(await proxy.explain(reply)).toEqual({
      sent: true,
      target: `${target.url}/customers`,
      policy: 'local',
      resolved_addresses: ['127.0.0.1'],
      tls: null,
      tokens: [
        {
          token: `${id}.id.first_name`,
          found: true,
          transforms: [],
          input_masked: 'W***',
          output_masked: 'W***',
        },
        {
          token: `${id}.id.ssn9`,
          found: true,
          transforms: ['suffix', 'replace'],
          input_masked: '***1212',
          output_masked: '***',
        },
      ],
      headers: {
        forwarded: ['x-own'],
        refused: [],
        stripped: expect.arrayContaining(['x-service-secret-key', 'x-fp-id', 'host']) as string[],
      },
      ingress: [
        {
          rule: `${id}.id.city=$.city | to_uppercase`,
          matched: true,
          stored_as: `${id}.id.city`,
          reason: null,
        },
        { rule: `${id}.custom.a=$.a`, matched: false, stored_as: null, reason: expect.any(String) as string },
      ],
      upstream: {
        status: 201,
        ms_connect: expect.any(Number) as number,
        ms_total: expect.any(Number) as number,
      },
      hints: ['1 of 2 ingress rules stored nothing'],
    });
    expect(await proxy.journal(reply)).toMatchObject({
      route: '/vault_proxy/jit',
      status: 201,
      code: null,
      proxy: {
        url: `${target.url}/customers`,
        status: 201,
        tokens: [`${id}.id.first_name`, `${id}.id.ssn9`],
      },
    });
  });

  test('explain: reflect and render have one, too', async (proxy) => {
    const body = '{{ id.first_name }}';

    const reflected = await proxy.explain(await proxy.reflect({ reason: 'a look', body }));
    const rendered = await proxy.explain(await proxy.render({ body }));

    expect([reflected.target, reflected.upstream]).toEqual([null, null]);
    expect([rendered.target, rendered.upstream]).toEqual([`${proxy.target.url}/`, null]);
    for (const { tokens } of [reflected, rendered]) expect(tokens[0]?.input_masked).toBe('Q***');
  });
});

describe('how far a failed call went', () => {
  /** Returns in words how far a refused call went, and the hints. */
  async function after(parts: (proxy: TestProxy) => ProxyParts | Promise<ProxyParts>, timeoutMs = 5000) {
    await using proxy = await startProxy({ outside: { timeoutMs } });
    const id = await proxy.service.user(DATA);
    const refusal = await proxy.refusedJit({ id, ...(await parts(proxy)) });
    const { target, tokens, upstream, resolved_addresses, hints } = await proxy.explain(refusal);
    const found = tokens.map((token) => `token found ${token.found}, shown as ${token.output_masked}`);
    const where = `${target === null ? 'no target' : 'a target'} at ${resolved_addresses.length} addresses`;
    const reached =
      upstream && `status ${upstream.status} ${upstream.ms_connect === null ? 'un' : ''}connected`;
    return { summary: [refusal.code, where, ...found, reached ?? 'not sent'].join('; '), hints };
  }

  const nowhere = 'http://127.0.0.1:1/';

  test.each<[string, ProxyParts, summary: string, hints?: (string | RegExp)[]]>([
    [
      'a call without target found nothing out',
      { body: '{{ custom.note }}' },
      'invalid_request; no target at 0 addresses; not sent',
    ],
    [
      'a malformed token ends it before tokens are shown',
      { target: nowhere, body: '{{ custom.note | }}' },
      'proxy_token_invalid; a target at 0 addresses; not sent',
      [/^proxy_token_invalid: Token custom\.note/],
    ],
    [
      'a refused target leaves the tokens unread',
      { target: 'http://10.0.0.1/', body: '{{ custom.note }}' },
      'proxy_target_refused; a target at 0 addresses; token found null, shown as null; status null unconnected',
      [/^proxy_target_refused: 10\.0\.0\.1 is a private address/, /open allows all/],
    ],
    [
      'an absent datum and a present one are both shown',
      { target: nowhere, body: '{{ custom.note }}{{ custom.gone }}' },
      'proxy_token_unresolved; a target at 1 addresses; token found true, shown as null; token found false, shown as null; not sent',
      [/^proxy_token_unresolved: Nothing is stored under/, /A token names an entity/],
    ],
    [
      'a transform that fails has an input and no output',
      { target: nowhere, body: "{{ custom.note | date_format('%Y', '%y') }}" },
      'transform_failed; a target at 1 addresses; token found true, shown as null; not sent',
    ],
    [
      'an unreachable target has all tokens and no status',
      { target: nowhere, body: '{{ custom.note }}' },
      'proxy_upstream_unreachable; a target at 1 addresses; token found true, shown as <string>; status null unconnected',
    ],
  ])('explain: %s', async (_, parts, summary, hints) => {
    const explained = await after(() => parts);
    expect(explained.summary).toBe(summary);
    if (hints) expect(explained.hints).toEqual(hints.map((hint) => expect.stringMatching(hint) as string));
  });

  test('explain: without the permission no token is looked at', async () => {
    const { summary, hints } = await after(async ({ service }) => ({
      target: nowhere,
      body: '{{ custom.note }}',
      as: await aKeyThatMay(service, ['proxy']),
    }));

    expect(summary).toBe(
      'permission_denied; a target at 1 addresses; token found null, shown as null; not sent',
    );
    expect(hints.join('\n')).toMatch(/^permission_denied: .*\n.*decrypt:<identifier>/);
  });

  test('explain: a silent target was connected to', async () => {
    await using target = await startRawTarget({ then: 'silence' });

    const { summary } = await after(() => ({ target: target.url, body: '{{ custom.note }}' }), 1500);

    expect(summary).toBe(
      'proxy_upstream_timeout; a target at 1 addresses; token found true, shown as <string>; status null connected',
    );
  });
});

test('explain: an answer that is withheld is kept, masked, and its status and headers reach the caller', async () => {
  const targetBody = {
    dob: '',
    image: `data:image/png;base64,${NAME}`,
    note: NAME,
    'id.email': `${NAME}@x.test`,
  };
  const handler = jsonTarget(targetBody, { status: 201, headers: { 'x-order': NAME } });
  await using proxy = await aCallTo(await startTarget({ handler }), DATA);
  const rules = ['id.dob=$.dob', 'custom.b=$.note', 'document.passport.front.image=$.image'];

  const reply = await proxy.jit({ rules, body: 'x' });

  expect([reply.status, reply.body]).toMatchObject([
    400,
    {
      code: 'T120',
      context: {
        'id.dob': 'invalid length: rule 1 selects an empty string',
        'document.passport.front.image': 'must be base64: rule 3 selects a data URI',
      },
    },
  ]);
  expect(reply.headers).toMatchObject({
    'x-fp-proxy-upstream-status-code': '201',
    'x-fp-proxy-fwd-x-order': NAME,
  });
  const [explanation, entry] = [await proxy.explain(reply), await proxy.journal(reply)];
  expect(explanation).toMatchObject({ upstream: { status: 201 }, withheld: entry.proxy?.withheld as object });
  expect(explanation.ingress.map(({ matched, stored_as }) => [matched, stored_as])).toEqual(
    Array(3).fill([true, null]),
  );
  expect(explanation.hints).toEqual([
    expect.stringContaining('T120: '),
    expect.stringContaining('no rule took effect'),
  ]);
  expect(explanation.withheld).toEqual({
    headers: expect.arrayContaining(['content-type', 'x-order']) as string[],
    // A name that no rule has may be a value.
    body: { dob: '<string>', image: '<string>', note: '<string>', 'member 4': expect.any(String) as string },
  });
  expect(JSON.stringify([explanation, entry, reply.body])).not.toContain(NAME);
});

describe('hints', () => {
  async function hintsAfter(parts: ProxyParts, answer?: Parameters<typeof jsonTarget>): Promise<string> {
    const target = await startTarget(answer && { handler: jsonTarget(...answer) });
    await using proxy = await aCallTo(target, DATA);
    const reply = await proxy.jit(parts);
    return (await proxy.explain(reply)).hints.join('\n');
  }

  test.each([
    ['braces without a token', { body: '{{ name }}' }, 'no token'],
    ['percent-encoded braces', { body: 'a=%7B%7B%20id.dob%20%7D%7D' }, '%7B%7B'],
    ['JSON that does not parse', { body: '{"a": {{ custom.note | wrap_quotes }} }' }, 'looks like JSON'],
    [
      'a header that is misspelt',
      { body: 'x', headers: { 'x-fp-proxy-pin-certs': 'a' } },
      'knows no header x-fp-proxy-pin-certs',
    ],
    ['a body for GET', { method: 'GET', body: '{{ custom.note }}' }, 'was left out'],
  ] as const)('explain: %s', async (_, parts, hint) => {
    expect(await hintsAfter(parts)).toContain(hint);
  });

  const token = '{{ custom.note }}';
  const address = 'tokens are replaced in the body only';
  const utf16 = Buffer.from(token, 'utf16le');
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  test.each<[string, ProxyParts, string]>([
    ['a header', { forward: { 'x-own': token, 'x-b': 'b' } }, `Header x-own holds {{ as text: ${address}`],
    ['an encoded header', { forward: { 'x-own': '%7B%7Bid.dob%7D%7D' } }, 'Header x-own holds'],
    [
      'the query',
      { pathAndQuery: '/a?b={{id.dob}}' },
      `The query of the address holds {{ as text: ${address}`,
    ],
    ['an encoded query', { pathAndQuery: '/a?b=%7B%7B+id.dob' }, 'The query of the address'],
    ['the path', { pathAndQuery: '/a/{{id.dob}}?b' }, 'The path of the address'],
    ['beside a token', { body: `${token}{{ email }}` }, 'The body holds {{ at byte 18 as text'],
    [
      'encoded beside a token',
      { body: `a=${token}&b=%7b%7Bid.dob%7d%7D` },
      'holds %7b%7B at byte 23 as text',
    ],
    ['+ in a form', { body: 'a={{+id.dob+}}', forward: form }, 'send {{, }} and blanks as they are'],
    ['%20 in a form', { body: 'a={{%20id.dob+}}', forward: form }, 'send {{, }} and blanks as they are'],
    [
      'JSON escapes',
      { body: String.raw`{"a":"\u007B\u007b id.dob }}"}` },
      String.raw`\u007B\u007b at byte 7`,
    ],
    ['XML references', { body: '<a>&#123;&#x7B;id.dob}}</a>' }, '&#123;&#x7B; at byte 4'],
    ['one brace', { body: 'a {id.dob}' }, 'a token has two braces'],
    ['UTF-16', { body: utf16 }, 'in UTF-8'],
    ['a packed body', { body: 'x', forward: { 'content-encoding': 'gzip' } }, 'plain text only'],
  ])('explain: a placeholder left in %s', async (_, parts, hint) => {
    expect(await hintsAfter({ body: token, ...parts })).toContain(hint);
  });

  const typed = (type: string) => ({ forward: { 'content-type': type } });
  test.each<[string, string, ProxyParts, string]>([
    ['SOAP', 'A & <b>', { body: `<a>${token}</a>`, ...typed('application/soap+xml') }, '&amp;'],
    ['XML by its look', '<b>', { body: `<a>${token}</a>` }, 'syntax of XML'],
    ['ndjson', 'a"b', { body: `{"a":"${token}"}`, ...typed('application/x-ndjson') }, 'syntax of JSON'],
    ['text/json', 'a\\b', { body: `{"a":"${token}"}`, ...typed('text/json') }, '+json'],
    ['CSV', 'a,b', { body: `1,${token}`, ...typed('text/csv') }, 'syntax of CSV'],
    ['a form by its look', 'a&b', { body: `a=${token}` }, 'x-www-form-urlencoded'],
    ['an unknown type', 'a"b', { body: token, ...typed('application/graphql') }, 'this content type'],
    [
      'JSON',
      'Jane',
      { body: `{"a":${token}}`, ...typed('application/json') },
      'between the strings of the body is no JSON',
    ],
  ])('explain: an unescaped value with syntax of %s', async (_, note, parts, hint) => {
    await using proxy = await aCall({ 'custom.note': note });

    const { hints } = await proxy.explain(await proxy.jit(parts));

    expect(hints).toEqual([expect.stringContaining(`token ${proxy.id}.custom.note`)]);
    expect(hints[0]).toContain(hint);
  });

  test.each([
    ['<a>{{ custom.note }}</a>', 'text/xml', 'Jane'],
    ["<a>{{ custom.note | replace('&', '&amp;') }}</a>", 'text/xml', 'A & B'],
    ["1,{{ custom.note | replace('\"', '\"\"') | wrap_quotes }}", 'text/csv', 'a,"b"'],
    ['{"a":{{ custom.note | wrap_quotes }}}', 'application/json', 'a"b'],
    ['{"a":"{{ custom.note }}"}', 'application/json', 'a"b'],
    ['a={{ custom.note }}', 'application/x-www-form-urlencoded', 'a&b'],
    ['{"a":{"b":{{ custom.note }}}}', 'application/json', '7'],
  ])('explain: %s as %s has no hint', async (body, type, note) => {
    await using proxy = await aCall({ 'custom.note': note });

    const reply = await proxy.jit({ body, ...typed(type) });

    expect((await proxy.explain(reply)).hints).toEqual([]);
  });

  test.eachWith([
    ['text/xml; charset=ISO-8859-1', true],
    ['application/x-www-form-urlencoded;charset="windows-1252"', true],
    ['text/xml; charset=utf-8', false],
    ['text/xml; charset="UTF-8"', false],
  ])('explain: %s has a hint that values go in as UTF-8: %s', async (proxy, type, isHinted) => {
    const { hints } = await proxy.explain(await proxy.jit({ body: 'a={{ custom.note }}', ...typed(type) }));

    expect(hints.some((hint) => hint.includes('values go in as UTF-8'))).toBe(isHinted);
  });

  test('explain: a forwarded header that the call was refused for is listed as refused', async (proxy) => {
    const authorization = `Basic ${Buffer.from(`${SANDBOX_KEY}:`).toString('base64')}`;
    const reply = await proxy.jit({ body: 'x', forward: { authorization, 'x-own': 'a' } });

    const { forwarded, refused } = (await proxy.explain(reply)).headers;
    expect([reply.status, forwarded, refused]).toEqual([400, ['x-own'], ['authorization']]);
  });

  test.eachWith([
    ['multipart/form-data; boundary=b', 'document.passport.front.image', true],
    ['multipart/mixed; boundary=b', 'document.passport.front.image', true],
    [undefined, 'document.passport.front.image', true],
    ['multipart/form-data; boundary=b', "document.passport.front.image | hmac_sha256('0b')", false],
    ['multipart/form-data; boundary=b', 'custom.note', false],
    ['application/json', 'document.passport.front.image', false],
  ])('explain: in %s {{ %s }} is base64 text of a file: %s', async (proxy, type, token, isHinted) => {
    await proxy.service.upload(proxy.id, 'document.passport.front.image', Buffer.from('png'), 'image/png');
    const body = `--b\r\ncontent-disposition: form-data; name="file"\r\n\r\n{{ ${token} }}\r\n--b--\r\n`;

    const { hints } = await proxy.explain(await proxy.jit({ body, ...(type && typed(type)) }));

    expect(hints.some((hint) => hint.includes('as base64 text'))).toBe(isHinted);
  });

  test.each([
    [302, 'never followed'],
    [404, "the target's own answer"],
  ])('explain: a %i of the target', async (status, hint) => {
    expect(await hintsAfter({ body: 'x' }, [{}, { status }])).toContain(hint);
  });

  test("explain: a pin that does not match names the server's certificate", async (proxy) => {
    const authority = await createAuthority('a root', Date.now());
    const tls = await authority.issue({ subject: 'server', names: ['127.0.0.1'], usage: 'server' });
    const other = await authority.issue({ subject: 'other', usage: 'server' });
    await using target = await startTarget({ tls });

    const pin = Buffer.from(other.certificate).toString('base64');
    const refusal = await proxy.refusedJit({
      target: target.url,
      body: 'x',
      headers: { 'x-fp-proxy-pin-cert': pin },
    });

    expect((await proxy.explain(refusal)).hints.join()).toContain('CN=server');
  });
});

test('explain: a request that was no proxy call, or is gone, is not_found', async (proxy) => {
  const { service } = proxy;
  const gone = await proxy.jit({ target: 'http://127.0.0.1:1/', body: 'x' });
  await service.call('DELETE /_kyclone/requests');
  for (const { requestId: id } of [gone, await service.call('GET /users')]) {
    const refusal = await service.refused('GET /_kyclone/requests/{id}/proxy', { params: { id } });
    expect(refusal.code).toBe('not_found');
  }
});

test('explain: of the emulator itself no policy is spoken', async (proxy) => {
  const refusal = await proxy.refusedJit({ target: `http://127.0.0.1:${proxy.port}/`, body: 'x' });

  expect((await proxy.explain(refusal)).hints).toEqual([expect.stringContaining('the emulator itself')]);
});

test('explain: a server that was trusted and then went away is nothing to pin', async (proxy) => {
  const authority = await createAuthority('a root', Date.now());
  const tls = await authority.issue({ subject: 'server', names: ['127.0.0.1'], usage: 'server' });
  await using target = await startTarget({ tls, requireClientCertificate: authority.certificate });

  const pin = Buffer.from(authority.certificate).toString('base64');
  const refusal = await proxy.refusedJit({
    target: target.url,
    body: 'x',
    headers: { 'x-fp-proxy-pin-cert': pin },
  });

  expect((await proxy.explain(refusal)).hints.join('\n')).not.toContain('x-fp-proxy-pin-cert');
});

test('explain: long texts of others are cut', async (proxy) => {
  const refusal = await proxy.refusedJit({
    target: `http://127.0.0.1:1/${'p'.repeat(500)}`,
    body: 'x',
    rules: [`custom.note=$.${'m'.repeat(500)}`],
  });

  const { target, ingress } = await proxy.explain(refusal);
  expect([target?.length, ingress[0]?.rule.length]).toEqual([201, 201]);
});
