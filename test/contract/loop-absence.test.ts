/**
 * What counts as absent (contract §0.8), for every endpoint. A client that sends unset members as null and unset query
 * parameters as empty texts gets the same answer as a client that leaves them out.
 */
import type { TSchema } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import { endpoints, type EndpointKey } from '../../src/contract/registry.ts';
import { samples, setStage } from '../support/samples.ts';
import { asRaw, startService, type RawRequest, type Reply } from '../support/service.ts';

/** Endpoints whose optional members can be set to null, or whose query has parameters. */
const withBody = endpoints.filter(({ body }) => body !== undefined && 'properties' in body);
const withQuery = endpoints.filter((endpoint) => 'query' in endpoint);

/** Adds null for each optional member that isn't set, at any depth of the members that are set. */
function withNulls(schema: TSchema, value: unknown): unknown {
  const choices = (schema['anyOf'] ?? []) as TSchema[];
  if (Array.isArray(value)) {
    const items = [schema, ...choices].find((choice) => choice['items'])?.['items'] as TSchema | undefined;
    return items ? value.map((item) => withNulls(items, item)) : (value as unknown[]);
  }
  if (typeof value !== 'object' || value === null) return value;
  const shape = [schema, ...choices].find((choice) => choice['properties']);
  if (!shape) return value;
  const members = shape['properties'] as Record<string, TSchema>;
  const given = value as Record<string, unknown>;
  const unset = Object.keys(members).filter((name) => !(name in given));
  return {
    ...Object.fromEntries(unset.map((name) => [name, null])),
    ...Object.fromEntries(
      Object.entries(given).map(([name, member]) => {
        const declared = members[name];
        return [name, declared ? withNulls(declared, member) : member];
      }),
    ),
  };
}

/** Sends the sample of one endpoint twice, unchanged and changed. Each request goes to a service of its own. */
async function bothAnswers(key: EndpointKey, change: (sample: RawRequest) => RawRequest): Promise<Reply[]> {
  const answers: Reply[] = [];
  for (const each of [(sample: RawRequest) => sample, change]) {
    await using service = await startService();
    answers.push(await service.send(each(asRaw(key, await samples[key](await setStage(service))))));
  }
  return answers;
}

/** Returns the part that both answers must have in common: the status, and the names of the members. */
const outline = ({ status, body }: Reply) => ({
  status,
  members: typeof body === 'object' && body !== null ? Object.keys(body).sort() : typeof body,
});

test('the loop goes over the registry', () => {
  expect(withBody.length).toBeGreaterThan(30);
  expect(withQuery.length).toBeGreaterThan(30);
});

test.each(withBody.map(({ key, body }) => [key, body as TSchema] as const))(
  '%s: optional members that are null count as absent',
  async (key, schema) => {
    const [plain, nulls] = await bothAnswers(key, (sample) => ({
      ...sample,
      body: withNulls(schema, sample.body ?? {}),
    }));
    expect(plain?.status, plain?.text).toBe(200);
    expect(nulls && outline(nulls), nulls?.text).toEqual(plain && outline(plain));
  },
);

test.each(withQuery.map(({ key, query }) => [key, query] as const))(
  '%s: empty query parameters count as absent',
  async (key, schema) => {
    const [plain, empty] = await bothAnswers(key, (sample) => {
      const [path = '', query = ''] = sample.path.split('?');
      const given = new URLSearchParams(query);
      const unset = Object.keys((schema as TSchema)['properties'] as object).filter(
        (name) => !given.has(name),
      );
      return {
        ...sample,
        path: `${path}?${[query, ...unset.map((name) => `${name}=`)].filter(Boolean).join('&')}`,
      };
    });
    expect(plain?.status, plain?.text).toBe(200);
    expect(empty && outline(empty), empty?.text).toEqual(plain && outline(plain));
  },
);
