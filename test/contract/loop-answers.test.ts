/**
 * The answers of every endpoint: they fit the schema and hold nothing else, each declared error occurs, and no answer
 * repeats a value that was sent.
 */
import { Value } from '@sinclair/typebox/value';
import type { TSchema } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { pathWithWords } from '../../src/contract/openapi.ts';
import { endpoints, splitKey, type EndpointKey } from '../../src/contract/registry.ts';
import { provocations, samples, setStage } from '../support/samples.ts';
import { sampleResolve } from '../support/sample-target.ts';
import { asRaw, startService } from '../support/service.ts';
import { shareStage } from '../support/shared-stage.ts';
import { documentOf, operationOf, vocabulary } from './openapi-document.ts';

const cases = endpoints.map((endpoint) => [endpoint.key, endpoint] as const);
const withBody = cases.filter(([, { body }]) => body);
const shared = shareStage({ outside: { resolve: sampleResolve } });

/** Returns the paths of the members that the schema doesn't name. */
function undeclared(schema: TSchema, value: unknown, path = ''): string[] {
  const { anyOf, items, properties } = schema as {
    anyOf?: TSchema[];
    items?: TSchema;
    properties?: Record<string, TSchema>;
  };
  if (anyOf) {
    const fitting = anyOf.find((each) => Value.Check(each, value));
    return fitting ? undeclared(fitting, value, path) : [];
  }
  if (Array.isArray(value)) {
    return items ? value.flatMap((item, index) => undeclared(items, item, `${path}/${index}`)) : [];
  }
  if (!properties || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const declared = properties[name];
    return declared ? undeclared(declared, member, `${path}/${name}`) : [`${path}/${name}`];
  });
}

/**
 * A file has the content type with which it was stored: the sample's file is a text. A snapshot has the declared
 * content type.
 */
function contentTypeOf(key: EndpointKey, { produces, response }: Endpoint): string {
  if (key.startsWith('GET /_kyclone/snapshots/') && produces !== undefined) return produces;
  if (produces?.startsWith('text/event-stream')) return produces;
  if (response['format'] === 'binary') return 'text/plain; charset=utf-8';
  return produces ?? 'application/json; charset=utf-8';
}

const VERSION_HEADER = 'x-fp-vault-version';
const document = documentOf();

test.each(cases)(
  '%s: a success is 200, fits its schema and the document, and is in the journal',
  async (key, endpoint) => {
    const { service, sample } = await shared.freshSample(key);

    const answer = await service.send(sample);

    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers['content-type']).toBe(contentTypeOf(key, endpoint));
    expect(answer.headers['deprecation']).toBe(endpoint.stability === 'deprecated' ? 'true' : undefined);
    const body = endpoint.produces === undefined ? answer.body : answer.text;
    expect(
      [...Value.Errors(endpoint.response, body)].map(({ path, message }) => `${path} ${message}`),
    ).toEqual([]);
    expect(undeclared(endpoint.response, body)).toEqual([]);
    const { method, path } = splitKey(pathWithWords(key, vocabulary) as EndpointKey);
    const documented = operationOf(document, method.toLowerCase(), path).responses['200'];
    expect(documented && 'headers' in documented && VERSION_HEADER in documented.headers).toBe(
      VERSION_HEADER in answer.headers,
    );
    const id = answer.headers['x-request-id'] ?? '';
    const journal = await service.call('GET /_kyclone/requests/{id}', { params: { id } });
    const route = key.slice(key.indexOf(' ') + 1);
    expect(journal.body).toMatchObject({ id, status: 200, code: null, route });
  },
);

/** The errors of a full disk need a tool, and stand in loop-full-disk.test.ts. */
const declared = Object.entries(provocations).flatMap(([key, errors]) =>
  Object.entries(errors).flatMap(([code, provoke]) =>
    code === 'storage_full' ? [] : [[key as EndpointKey, code, provoke] as const],
  ),
);

test.each(declared)('%s: %s is reached', async (key, code, provoke) => {
  await using impatient =
    code === 'proxy_upstream_timeout'
      ? await startService({ outside: { resolve: sampleResolve, timeoutMs: 200 } })
      : undefined;
  const stage = impatient ? await setStage(impatient) : await shared.freshStage(key);

  expect(await stage.service.refused(key, await provoke(stage))).toMatchObject({ code });
});

const CANARY = 'Canary-8b1f0c6e';

/** Bodies that are refused, or ignored in part. The canary is in every place that can hold a value. */
const canaryBodies: Record<string, unknown> = {
  'values that are refused': {
    'id.dob': CANARY,
    'id.ssn9': CANARY,
    'business.tin': CANARY,
    'card.one.cvc': CANARY,
  },
  'values beside an unknown identifier': { 'id.first_name': CANARY, 'custom.note': CANARY, nonsense: CANARY },
  'members that mean something elsewhere': {
    id: CANARY,
    message: CANARY,
    code: CANARY,
    status: CANARY,
    data: { 'id.ssn9': CANARY },
    next: CANARY,
    context: { x: CANARY },
    meta: [CANARY],
    count: [[CANARY]],
    sandbox_id: CANARY,
    version_at: CANARY,
  },
  'values of the wrong type': {
    fields: { x: CANARY },
    reason: [CANARY],
    transforms: CANARY,
    signing_key: CANARY,
  },
  'a member that is a list of the wrong type': {
    scopes: [CANARY],
    permissions: [CANARY],
    hosts: [{ x: CANARY }],
  },
  'a list': [CANARY, { 'id.ssn9': CANARY }],
  'a text': JSON.stringify(CANARY),
  'no JSON': `{"id.ssn9": "${CANARY}"`,
};

test.each(withBody)('%s: comes back in no failure, no journal and no log', async (key, { takesAnyBody }) => {
  const stage = await shared.freshStage(key);
  const { service } = stage;
  const newSample = async () => asRaw(key, await samples[key](stage));
  let sample = await newSample();

  for (const [what, body] of Object.entries(canaryBodies)) {
    const answer = await service.send({ ...sample, body });
    // A success may have used up what the request names.
    if (answer.status < 400) sample = await newSample();
    // The caller may see the result of its own template.
    if (answer.status >= 400 || !takesAnyBody) expect(answer.text, what).not.toContain(CANARY);
  }

  const journal = await service.send({ method: 'GET', path: '/_kyclone/requests?page_size=100' });
  expect(journal.text).not.toContain(CANARY);
  expect(JSON.stringify(service.log)).not.toContain(CANARY);
});
