/**
 * JSON bodies, members, query parameters and headers of every endpoint that don't fit the schema (contract §0.8,
 * §0.10).
 */
import { Value } from '@sinclair/typebox/value';
import type { TSchema } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import { JSON_BODY_LIMIT_BYTES } from '../../src/contract/facts/limits.ts';
import { REFUSES_NULL } from '../../src/contract/absence.ts';
import { endpoints, type EndpointKey } from '../../src/contract/registry.ts';
import { samples, setStage, type Stage } from '../support/samples.ts';
import { asRaw, asRefusal, startService, type RawRequest, type TestService } from '../support/service.ts';
import { shareStage } from '../support/shared-stage.ts';

const cases = endpoints.map((endpoint) => [endpoint.key, endpoint] as const);
const withBody = cases.flatMap(
  ([key, { body, takesFile, takesAnyBody, bodyLimitBytes = JSON_BODY_LIMIT_BYTES, bodyOptional = false }]) =>
    body && !takesFile && !takesAnyBody
      ? [[key, { schema: body, limit: bodyLimitBytes, isOptional: bodyOptional }] as const]
      : [],
);
const fixedShape = withBody.filter(([, { schema }]) => schema['properties']);

/** The shared service is for requests that are refused. */
const shared = shareStage();

async function sampleOf(stage: Stage, key: EndpointKey): Promise<RawRequest> {
  return asRaw(key, await samples[key](stage));
}

const memberCandidates: unknown[] = [true, 7, 0.5, 'text', '', [], [7], ['text'], {}, { a: 1 }];
/** Returns null as a candidate where null is wrong. An optional member that is null counts as absent. */
const nullCandidates = (schema: TSchema, name: string, member: TSchema) =>
  (schema['required'] as string[] | undefined)?.includes(name) || REFUSES_NULL in member ? [null] : [];
const textCandidates = [
  'x',
  '7',
  '0',
  '-1',
  '0.5',
  'TRUE',
  '1',
  'yes',
  '2026-13-45',
  '!',
  ' ',
  'x'.repeat(300),
];

/**
 * Returns the value that the schema of a parameter checks (contract §0.8): integers and booleans are read from their
 * usual spelling.
 */
function parameterValue(schema: TSchema, text: string): unknown {
  if (schema['type'] === 'integer' && /^-?\d+$/.test(text)) return Number(text);
  if (schema['type'] === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return text;
}

const members = fixedShape.flatMap(([key, { schema }]) =>
  Object.entries(schema['properties'] as Record<string, TSchema>).map(
    ([name, member]) =>
      [
        key,
        name,
        [...memberCandidates, ...nullCandidates(schema, name, member)].filter(
          (value) => !Value.Check(member, value),
        ),
      ] as const,
  ),
);

test.each(members)('%s: member %s of a wrong type is 400 naming it', async (key, name, wrong) => {
  const [service, sample] = [await shared.service(), await shared.sampleOf(key)];
  expect(wrong.length).toBeGreaterThan(0);

  for (const value of wrong) {
    const body = { ...(sample.body as object), [name]: value };
    const answer = asRefusal(await service.send({ ...sample, body }), JSON.stringify(body));
    expect(answer, JSON.stringify(body)).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(answer.message).toContain(name);
  }
});

test.each(withBody)('%s: a body of the wrong type is 400', async (key, { schema }) => {
  const [service, sample] = [await shared.service(), await shared.sampleOf(key)];

  for (const body of ['7', 'true', '"text"', '[]', '[{}]', ...(Value.Check(schema, null) ? [] : ['null'])]) {
    const answer = asRefusal(await service.send({ ...sample, body }), body);
    expect(answer, body).toMatchObject({ status: 400, code: 'invalid_request' });
  }
});

test.each(withBody)('%s: a body that is no JSON is 400', async (key) => {
  const [service, sample] = [await shared.service(), await shared.sampleOf(key)];

  for (const body of [
    '{',
    '{"a":1,}',
    "{'a':1}",
    'undefined',
    'NaN',
    '\ufeff{}',
    Buffer.from([0x22, 0xff, 0x22]),
  ]) {
    const answer = asRefusal(await service.send({ ...sample, body }), String(body));
    expect(answer, String(body)).toMatchObject({ status: 400, code: 'invalid_json' });
  }
});

test.each(withBody)('%s: an absent body is 400 unless it may be left out', async (key, { isOptional }) => {
  const send = async (service: TestService, { body, ...sample }: RawRequest, absent?: '') => {
    expect(body).toBeDefined();
    return service.send({ ...sample, ...(absent !== undefined && { body: absent }) });
  };

  for (const absent of [undefined, ''] as const) {
    if (isOptional) {
      await using service = await startService();
      const answer = await send(service, await sampleOf(await setStage(service), key), absent);
      expect(answer.status).toBe(200);
    } else {
      const answer = await send(await shared.service(), await shared.sampleOf(key), absent);
      expect(asRefusal(answer, key)).toMatchObject({ status: 400, code: 'invalid_request' });
    }
  }
});

test.each(withBody)('%s: takes JSON by any of its content types, and nothing else', async (key) => {
  await using service = await startService();
  const taken = [
    'application/json',
    'application/json; charset=utf-8',
    'application/vnd.api+json',
    'APPLICATION/JSON',
  ];
  const refused = [
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ];

  for (const type of taken) {
    const sample = await sampleOf(await setStage(await fresh(service)), key);
    expect((await service.send({ ...sample, headers: { 'content-type': type } })).status, type).toBe(200);
  }
  const sample = await sampleOf(await setStage(await fresh(service)), key);
  for (const type of refused) {
    const answer = asRefusal(await service.send({ ...sample, headers: { 'content-type': type } }), type);
    expect(answer, type).toMatchObject({ status: 415, code: 'unsupported_media_type' });
  }
});

/** Empties the service, so that a sample that deletes something works again. */
async function fresh(service: Awaited<ReturnType<typeof startService>>) {
  await service.call('POST /_kyclone/reset');
  return service;
}

test.each(withBody)(
  '%s: a body of its limit is taken, a byte more is 413 naming the limit',
  async (key, { limit }) => {
    await using service = await startService();
    const sample = await sampleOf(await setStage(service), key);
    const text = JSON.stringify(sample.body);

    const over = asRefusal(await service.send({ ...sample, body: text.padEnd(limit + 1) }), key);
    const exact = await service.send({ ...sample, body: text.padEnd(limit) });

    expect(over).toMatchObject({ status: 413, code: 'payload_too_large' });
    expect(over.message).toContain(String(limit));
    expect(exact.status, exact.text).toBe(200);
  },
);

test.each(fixedShape)(
  '%s: an unknown member is refused in the control plane, ignored elsewhere',
  async (key) => {
    const isRefused = key.includes('/_kyclone/');
    for (const name of ['unheard_of', '__proto__', 'constructor']) {
      await using own = isRefused ? undefined : await startService();
      const service = own ?? (await shared.service());
      const sample = own ? await sampleOf(await setStage(own), key) : await shared.sampleOf(key);
      const text = JSON.stringify(sample.body).replace(/^\{/, `{"${name}":{"admin":true},`);
      const answer = await service.send({ ...sample, body: text });
      if (isRefused) {
        expect(asRefusal(answer, key)).toMatchObject({ status: 400, code: 'invalid_request' });
        expect(asRefusal(answer, key).message).toContain(name);
      } else if (!key.startsWith('DELETE ')) expect(answer.status, answer.text).toBe(200);
    }
  },
);

const parameters = cases.flatMap(([key, { query }]) =>
  query
    ? Object.entries(query['properties'] as Record<string, TSchema>).map(
        ([name, schema]) => [key, name, schema] as const,
      )
    : [],
);

function withQuery(path: string, query: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

function withoutQuery(path: string): string {
  return path.split('?')[0] ?? path;
}

test.each(parameters)('%s: query parameter %s twice is 400 naming it', async (key, name) => {
  const [service, sample] = [await shared.service(), await shared.sampleOf(key)];

  const answer = asRefusal(
    await service.send({ ...sample, path: withQuery(sample.path, `${name}=7&${name}=7`) }),
    key,
  );

  expect(answer).toMatchObject({ status: 400, code: 'invalid_request' });
  expect(answer.message).toContain(name);
});

const wrongParameters = parameters.flatMap(([key, name, schema]) => {
  const wrong = textCandidates.filter((text) => !Value.Check(schema, parameterValue(schema, text)));
  return wrong.length > 0 ? [[key, name, wrong] as const] : [];
});

test.each(wrongParameters)(
  '%s: query parameter %s that does not fit is 400 naming it',
  async (key, name, wrong) => {
    const [service, sample] = [await shared.service(), await shared.sampleOf(key)];

    for (const text of wrong) {
      const path = withQuery(withoutQuery(sample.path), `${name}=${encodeURIComponent(text)}`);
      const answer = asRefusal(await service.send({ ...sample, path }), path);
      expect(answer, path).toMatchObject({ status: 400, code: 'invalid_request' });
      expect(answer.message).toContain(name);
    }
  },
);

test.each(cases)('%s: an unknown query parameter is ignored', async (key) => {
  await using service = await startService();
  const sample = await sampleOf(await setStage(service), key);

  const answer = await service.send({
    ...sample,
    path: withQuery(sample.path, 'unheard_of=1&unheard_of=2&__proto__=x&='),
  });

  expect(answer.status, answer.text).toBe(200);
});

const wrongHeaders = cases.flatMap(([key, { headers }]) =>
  headers
    ? Object.entries(headers['properties'] as Record<string, TSchema>).flatMap(([name, schema]) => {
        const wrong = textCandidates.filter((text) => !Value.Check(schema, text));
        return wrong.length > 0 ? [[key, name, wrong] as const] : [];
      })
    : [],
);

test.each(wrongHeaders)('%s: header %s that does not fit is 400 naming it', async (key, name, wrong) => {
  const [service, sample] = [await shared.service(), await shared.sampleOf(key)];

  for (const text of wrong) {
    const answer = asRefusal(
      await service.send({ ...sample, headers: { ...sample.headers, [name]: text } }),
      text,
    );
    expect(answer, text).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(answer.message).toContain(name);
  }
});

const anyBody = cases.flatMap(([key, { takesAnyBody, bodyLimitBytes = 0 }]) =>
  takesAnyBody ? [[key, bodyLimitBytes] as const] : [],
);

test.each(anyBody)('%s: takes a body of any type, and none', async (key) => {
  await using service = await startService();
  const { body, ...sample } = await sampleOf(await setStage(service), key);
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
    await using service = await startService();
    const sample = await sampleOf(await setStage(service), key);

    const over = asRefusal(await service.send({ ...sample, body: 'x'.repeat(limit + 1) }), key);
    const exact = await service.send({ ...sample, body: 'x'.repeat(limit) });

    expect(over).toMatchObject({ status: 413, code: 'payload_too_large' });
    expect(over.message).toContain(String(limit));
    expect(exact.status, exact.text).toBe(200);
  },
);
