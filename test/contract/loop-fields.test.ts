/**
 * JSON bodies, members, query parameters and headers of every endpoint that don't fit the schema (contract §0.8,
 * §0.10). The wrong values go to the functions that check a request. Over HTTP each endpoint is asked once, and
 * loop-messages.test.ts sends each member, parameter and header wrong once.
 */
import { Value } from '@sinclair/typebox/value';
import type { TSchema } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import { JSON_BODY_LIMIT_BYTES } from '../../src/contract/facts/limits.ts';
import { REFUSES_NULL } from '../../src/contract/absence.ts';
import { endpoints } from '../../src/contract/registry.ts';
import { checkBody } from '../../src/http/request-body.ts';
import { readHeaders, readQuery } from '../../src/http/request-head.ts';
import { asRefusal } from '../support/service.ts';
import { shareStage } from '../support/shared-stage.ts';
import '../support/tier-all.ts';
import { words } from '../support/words.ts';

const cases = endpoints.map((endpoint) => [endpoint.key, endpoint] as const);
const withBody = cases.flatMap(([key, endpoint]) =>
  endpoint.body && !endpoint.takesFile && !endpoint.takesAnyBody
    ? [
        [
          key,
          { endpoint, schema: endpoint.body, limit: endpoint.bodyLimitBytes ?? JSON_BODY_LIMIT_BYTES },
        ] as const,
      ]
    : [],
);
const fixedShape = withBody.filter(([, { schema }]) => schema['properties']);
const shared = shareStage();

const memberCandidates: unknown[] = [true, 7, 0.5, 'text', '', [], [7], ['text'], {}, { a: 1 }];
/** Returns null as a candidate where null is wrong. An optional member that is null counts as absent. */
const nullCandidates = (schema: TSchema, name: string, member: TSchema) =>
  (schema['required'] as string[] | undefined)?.includes(name) || REFUSES_NULL in member ? [null] : [];
const textCandidates = [...words`x 7 0 -1 0.5 1e2 TRUE 1 yes 2026-13-45 !`, ' ', 'x'.repeat(300)];

const propertiesOf = (schema: TSchema) =>
  Object.entries((schema['properties'] ?? {}) as Record<string, TSchema>);

const parsed = (value: unknown, mayHoldNullMember: boolean) => ({
  value,
  mayHoldNul: false,
  mayHoldNullMember,
});

/** Expects that `check` refuses a request, and that the message contains `named`. */
function expectRefusal(check: () => unknown, what: unknown, named = ''): void {
  const refusal = expect.objectContaining({
    code: 'invalid_request',
    message: expect.stringContaining(named) as string,
  }) as Error;
  expect(check, JSON.stringify(what)).toThrow(refusal);
}

test.each(fixedShape)(
  '%s: a member of a wrong type is refused by its name',
  async (key, { endpoint, schema }) => {
    const sample = await shared.sampleOf(key);

    for (const [name, member] of propertiesOf(schema)) {
      const wrong = [...memberCandidates, ...nullCandidates(schema, name, member)].filter(
        (value) => !Value.Check(member, value),
      );
      expect(wrong.length).toBeGreaterThan(0);
      for (const value of wrong) {
        const body = { ...(sample.body as object), [name]: value };
        expectRefusal(() => checkBody(endpoint, parsed(body, true)), body, name);
      }
    }
  },
);

test.each(withBody)('%s: a body of the wrong type is refused', (_, { endpoint, schema }) => {
  for (const body of [7, true, 'text', [], [{}], ...(Value.Check(schema, null) ? [] : [null])])
    expectRefusal(() => checkBody(endpoint, parsed(body, true)), body);
});

test.each(withBody)(
  '%s: a body that is a list, no JSON, absent, of another type or too large',
  async (key, { endpoint, limit }) => {
    const [service, sample] = [await shared.service(), await shared.sampleOf(key)];
    expect(sample.body).toBeDefined();
    const refused = async ({ headers, ...parts }: { headers?: Record<string, string>; body?: unknown }) =>
      asRefusal(await service.send({ ...sample, ...parts, headers: { ...sample.headers, ...headers } }), key);

    expect(await refused({ body: '[]' })).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(await refused({ body: '{' })).toMatchObject({ status: 400, code: 'invalid_json' });
    expect(await refused({ headers: { 'content-type': 'text/plain' } })).toMatchObject({
      status: 415,
      code: 'unsupported_media_type',
    });
    expect(await refused({ headers: { 'content-encoding': 'gzip' } })).toMatchObject({
      status: 415,
      message: 'The body must be sent without a content encoding',
    });
    const over = await refused({ body: JSON.stringify(sample.body).padEnd(limit + 1) });
    expect(over).toMatchObject({ status: 413, code: 'payload_too_large' });
    expect(over.message).toContain(String(limit));
    if (endpoint.bodyOptional) return;
    for (const body of [undefined, ''])
      expect(await refused({ body })).toMatchObject({ status: 400, code: 'invalid_request' });
  },
);

test.each(withBody.filter(([, { endpoint }]) => endpoint.bodyOptional))(
  '%s: its body may be left out',
  async (key) => {
    for (const absent of [undefined, '']) {
      const { service, sample } = await shared.freshSample(key);
      const { body, ...rest } = sample;
      expect(body).toBeDefined();
      const answer = await service.send({ ...rest, ...(absent !== undefined && { body: absent }) });
      expect(answer.status, answer.text).toBe(200);
    }
  },
);

test.each(['POST /users', 'PATCH /_kyclone/settings'] as const)(
  '%s: a body that is no JSON is 400, and its type is that of JSON',
  async (key) => {
    const { service, sample } = await shared.freshSample(key);

    for (const body of [
      '{"a":1,}',
      "{'a':1}",
      'undefined',
      'NaN',
      '\ufeff',
      '\ufeff\ufeff{}',
      '{}\ufeff',
      Buffer.from([0x22, 0xff, 0x22]),
    ]) {
      const headers = { ...sample.headers, 'content-type': 'application/json' };
      const answer = asRefusal(await service.send({ ...sample, headers, body }), String(body));
      expect(answer, String(body)).toMatchObject({ status: 400, code: 'invalid_json' });
    }
    const marked = `\ufeff${JSON.stringify(sample.body)}`;
    expect((await service.send({ ...sample, body: marked })).status).toBe(200);
    for (const [status, types] of [
      [
        200,
        [
          'application/json',
          'application/json; charset=utf-8',
          'application/vnd.api+json',
          'APPLICATION/JSON',
          'application/x-www-form-urlencoded',
        ],
      ],
      [415, ['text/json', 'multipart/form-data; boundary=x']],
    ] as const) {
      for (const type of types) {
        const answer = await service.send({ ...sample, headers: { 'content-type': type } });
        expect(answer.status, `${type}: ${answer.text}`).toBe(status);
      }
    }
  },
);

/** The first endpoint with each limit. */
const limits = [...new Map(withBody.toReversed().map((each) => [each[1].limit, each])).values()];

test.each(limits)('%s: a body of its limit is taken', async (key, { limit }) => {
  const { service, sample } = await shared.freshSample(key);

  const answer = await service.send({ ...sample, body: JSON.stringify(sample.body).padEnd(limit) });

  expect(answer.status, answer.text).toBe(200);
});

const lenient = fixedShape.filter(([key]) => !key.includes('/_kyclone/') && !key.startsWith('DELETE '));

test.each(lenient)('%s: unknown members are ignored', async (key) => {
  const { service, sample } = await shared.freshSample(key);
  const unknown = ['unheard_of', '__proto__', 'constructor'].map((name) => `"${name}":{"admin":true},`);

  const body = JSON.stringify(sample.body).replace(/^\{/, `{${unknown.join('')}`);
  const answer = await service.send({ ...sample, body });

  expect(answer.status, answer.text).toBe(200);
});

test.each(fixedShape.filter(([key]) => key.includes('/_kyclone/')))(
  '%s: members that mean something to the language are unknown ones',
  async (key, { endpoint }) => {
    const sample = await shared.sampleOf(key);

    for (const name of ['__proto__', 'constructor']) {
      const text = JSON.stringify(sample.body).replace(/^\{/, `{"${name}":{"admin":true},`);
      const body = JSON.parse(text) as unknown;
      expectRefusal(() => checkBody(endpoint, parsed(body, false)), body, name);
    }
  },
);

/**
 * Returns the value that the schema of a parameter checks (contract §0.8): integers and booleans are read from their
 * usual spelling.
 */
function parameterValue(schema: TSchema, text: string): unknown {
  if (schema['type'] === 'integer' && /^-?\d+$/.test(text)) return Number(text);
  if (schema['type'] === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return text;
}

const withQuery = cases.flatMap(([key, { query }]) => (query ? [[key, query] as const] : []));

test.each(withQuery)(
  '%s: a query parameter that comes twice or does not fit is refused by its name',
  (_, schema) => {
    for (const [name, member] of propertiesOf(schema)) {
      expectRefusal(() => readQuery(schema, { [name]: ['7', '7'] }), name, name);
      for (const text of textCandidates)
        if (!Value.Check(member, parameterValue(member, text)))
          expectRefusal(() => readQuery(schema, { [name]: text }), text, name);
    }
  },
);

const withHeaders = cases.flatMap(([key, { headers, takesAnyBody }]) =>
  headers ? [[key, headers, takesAnyBody === true] as const] : [],
);

/** An endpoint that takes any body checks its headers itself. */
test.each(withHeaders)(
  '%s: a header that does not fit is refused by its name',
  async (key, schema, isChecked) => {
    for (const [name, member] of propertiesOf(schema)) {
      for (const text of textCandidates.filter((each) => !Value.Check(member, each))) {
        if (!isChecked) {
          expectRefusal(() => readHeaders(schema, { [name]: text }), text, name);
          continue;
        }
        const [service, sample] = [await shared.service(), await shared.sampleOf(key)];
        const headers = { ...sample.headers, [name]: text };
        const answer = asRefusal(await service.send({ ...sample, headers }), text);
        expect(answer, text).toMatchObject({ status: 400, code: 'invalid_request' });
        expect(answer.message).toContain(name);
      }
    }
  },
);

const anyBody = cases.flatMap(([key, { takesAnyBody, bodyLimitBytes = 0 }]) =>
  takesAnyBody ? [[key, bodyLimitBytes] as const] : [],
);

test.each(anyBody)('%s: takes a body of any type, and none', async (key) => {
  const { service, sample: whole } = await shared.freshSample(key);
  const { body, ...sample } = whole;
  const bodies = [undefined, '', '{', 'null', Buffer.from([0, 0xff, 0x7b, 0x7b]), body];

  for (const type of ['application/json', 'text/plain', 'image/png', 'multipart/form-data']) {
    for (const each of bodies) {
      const headers = { ...sample.headers, 'content-type': type };
      const answer = await service.send({ ...sample, headers, ...(each !== undefined && { body: each }) });
      expect(answer.status, `${type} ${String(each)} ${answer.text}`).toBe(200);
    }
  }
});

test.each(anyBody)(
  '%s: a body of its limit is taken, a byte more is 413 naming the limit',
  async (key, limit) => {
    const { service, sample } = await shared.freshSample(key);

    const over = asRefusal(await service.send({ ...sample, body: 'x'.repeat(limit + 1) }), key);
    const exact = await service.send({ ...sample, body: 'x'.repeat(limit) });

    expect(over).toMatchObject({ status: 413, code: 'payload_too_large' });
    expect(over.message).toContain(String(limit));
    expect(exact.status, exact.text).toBe(200);
  },
);
