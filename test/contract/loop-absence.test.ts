/**
 * What counts as absent (contract §0.8), for every endpoint. A client that sends unset members as null and unset query
 * parameters as empty texts gets the same answer as a client that leaves them out.
 */
import type { TSchema } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import { endpoints } from '../../src/contract/registry.ts';
import type { Reply } from '../support/service.ts';
import { shareStage } from '../support/shared-stage.ts';
import '../support/tier-all.ts';

const cases = endpoints.filter(({ body, query }) => body?.['properties'] || query);
const shared = shareStage();

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

/** Returns the part that both answers must have in common: the status, and the names of the members. */
const outline = ({ status, body }: Reply) => ({
  status,
  members: typeof body === 'object' && body !== null ? Object.keys(body).sort() : typeof body,
});

/** Returns the path with each query parameter that it doesn't give as an empty text. */
function withEmpty(schema: TSchema, path: string): string {
  const [place = '', query = ''] = path.split('?');
  const given = new URLSearchParams(query);
  const unset = Object.keys(schema['properties'] as object).filter((name) => !given.has(name));
  return `${place}?${[query, ...unset.map((name) => `${name}=`)].filter(Boolean).join('&')}`;
}

test('the loop goes over the registry', () => {
  expect(cases.length).toBeGreaterThan(60);
});

test.each(cases.map((endpoint) => [endpoint.key, endpoint] as const))(
  '%s: members that are null and empty query parameters count as absent',
  async (key, { body, query, takesFile, takesAnyBody }) => {
    const whole = await shared.freshSample(key);
    const plain = await whole.service.send(whole.sample);
    const { service, sample } = await shared.freshSample(key);
    const takesJson = body?.['properties'] !== undefined && !takesFile && !takesAnyBody;

    const absent = await service.send({
      ...sample,
      ...(takesJson && { body: withNulls(body, sample.body ?? {}) }),
      ...(query && { path: withEmpty(query, sample.path) }),
    });

    expect(plain.status, plain.text).toBe(200);
    expect(outline(absent), absent.text).toEqual(outline(plain));
  },
);
