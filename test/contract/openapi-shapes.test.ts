/** The document as code generators read it: named shapes, enums and operation ids. */
import { Type } from '@sinclair/typebox';
import { describe, expect, test } from 'vitest';
import { ASSUMPTIONS, citedIn } from '../../src/contract/assumption-texts.ts';
import { endpoint, open, OPERATION_VERBS } from '../../src/contract/endpoint.ts';
import { ERRORS } from '../../src/contract/errors.ts';
import type { JsonSchema } from '../../src/contract/json-schema.ts';
import { named } from '../../src/contract/shapes.ts';
import { endpoints } from '../../src/contract/registry.ts';
import { identifierCatalogue } from '../../src/vault/identifiers/catalogue.ts';
import { words } from '../support/words.ts';
import { documentOf, validatorOf, vocabulary } from './openapi-document.ts';
import '../support/tier-all.ts';

const document = documentOf();
const { schemas } = document.components;
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
const ANNOTATIONS = ['title', 'description', 'default', 'examples', 'example'];

/** Yields every schema within a value, with its place. */
function* schemasIn(value: unknown, place: string): Generator<[string, JsonSchema]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [place, value as JsonSchema];
  for (const [key, child] of Object.entries(value)) {
    if (key !== 'example' && key !== 'examples') yield* schemasIn(child, `${place}/${key}`);
  }
}

/** Returns a text that is equal for schemas that accept the same values. */
function meaning(schema: unknown): string {
  return JSON.stringify(schema, (key, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const kept = Object.entries(value).filter(
      ([name]) => key === 'properties' || !ANNOTATIONS.includes(name),
    );
    return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

const isReference = (schema: JsonSchema | undefined): boolean => schema !== undefined && '$ref' in schema;
const itemsOf = (schema: JsonSchema | undefined) => schema?.['items'] as JsonSchema | undefined;

/** Checks whether a JSON body is a named shape, a list or page of named shapes, or a named shape that may be null. */
function isNamed(schema: JsonSchema): boolean {
  const { data, meta } = (schema['properties'] ?? {}) as Record<string, JsonSchema | undefined>;
  const choices = (schema['anyOf'] ?? []) as JsonSchema[];
  return (
    isReference(schema) ||
    isReference(itemsOf(schema)) ||
    (meta !== undefined && isReference(itemsOf(data))) ||
    (choices.length > 0 && choices.every((choice) => isReference(choice) || choice['type'] === 'null'))
  );
}

describe('operation ids', () => {
  test('each is a verb of the list and a noun, in lower camel case, and unique', () => {
    const ids = [...operations, ...Object.values(document.webhooks).map(({ post }) => post)].map(
      ({ operationId }) => operationId,
    );
    const form = new RegExp(`^(?:${[...OPERATION_VERBS, 'receive'].join('|')})(?:[A-Z][a-z0-9]+)+$`);

    for (const id of ids) expect(id).toMatch(form);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('named shapes', () => {
  test('every JSON body that goes in or out is one, or a list or page of one', () => {
    // The answer is the OpenAPI document itself, which another standard defines.
    const without = ['getOpenApiDocument answers'];
    const inline = operations.flatMap(({ operationId, requestBody, responses, ...operation }) => {
      const success = responses['200'];
      const sent = requestBody?.content['application/json']?.schema;
      const answered =
        success && 'content' in success ? success.content['application/json']?.schema : undefined;
      const isTemplate =
        operation['x-logs-refusal-as'] === 'proxy' || requestBody?.content['*/*'] !== undefined;
      return [
        ...(sent && !isTemplate && !isNamed(sent) ? [`${operationId} takes`] : []),
        ...(answered && !isTemplate && !isNamed(answered) ? [`${operationId} answers`] : []),
      ];
    });

    expect(inline).toEqual(without);
  });

  test('none is repeated without its name', () => {
    const byMeaning = new Map(
      Object.entries(schemas)
        .filter(([, schema]) => 'properties' in schema || 'enum' in schema)
        .filter(([name]) => name !== 'Empty')
        .map(([name, schema]) => [meaning(schema), name]),
    );
    const { paths, webhooks } = document;
    const copies = [...schemasIn({ paths, webhooks, schemas }, '')].flatMap(([place, schema]) => {
      const name = byMeaning.get(meaning(schema));
      return name === undefined || /^\/schemas\/[^/]+$/.test(place) ? [] : [`${place} is ${name}`];
    });

    expect(copies).toEqual([]);
  });

  test('a name of two shapes is refused, one that differs in its description is not', () => {
    const things = (...shapes: [string, ReturnType<typeof Type.Object>][]) =>
      shapes.map(([path, response]) =>
        endpoint(`GET /_kyclone/${path}`, {
          operationId: 'getThing',
          auth: open,
          stability: 'emulator',
          response,
          errors: [],
          summary: 'A thing',
        }),
      );
    const thing = named('Thing', Type.Object({ id: Type.String() }));

    expect(() =>
      documentOf({ endpoints: things(['a', thing], ['b', named('Thing', Type.Object({}))]) }),
    ).toThrow('Two shapes of the contract are named Thing');
    const described = documentOf({
      endpoints: things(['a', thing], ['b', { ...thing, description: 'another' }]),
    });
    expect(JSON.stringify(described.paths['/_kyclone/b'])).toContain(
      '{"$ref":"#/components/schemas/Thing","description":"another"}',
    );
  });

  test('a name costs validation nothing: it is no member that JSON has', () => {
    expect(JSON.stringify(named('Thing', Type.String()))).toBe('{"type":"string"}');
  });
});

describe('closed sets', () => {
  /** Members whose values are words of a closed list, in every schema. */
  const CLOSED = new Set(words`
    status kind outcome default_outcome fixture_result severity scope scopes new_status permissions environment
    reason_code document_type account_type state policy mode storage label operation error_code link_error
    link_state egress_policy auth_kind abort action event_kind products document_kind result source
  `);
  /** These are texts. The status of an HTTP answer is a number, and a kind may be given with or without its prefix. */
  const OPEN = ['/schemas/TriggerEventRequest/properties/kind', '/schemas/Event/properties/body'];

  function isClosed(schema: JsonSchema): boolean {
    if (typeof schema['$ref'] === 'string')
      return isClosed(schemas[schema['$ref'].split('/').at(-1) ?? ''] ?? {});
    const items = itemsOf(schema);
    if (items) return isClosed(items);
    const choices = schema['anyOf'] as JsonSchema[] | undefined;
    // A permission is a word or a pattern of identifiers.
    if (choices) return choices.some(isClosed);
    if ('enum' in schema || 'const' in schema || 'pattern' in schema) return true;
    return ![schema['type']].flat().includes('string');
  }

  test('every member of one is an enum', () => {
    const texts = [...schemasIn({ schemas }, '')].flatMap(([place, schema]) => {
      const [parent, name = ''] = place.split('/').slice(-2);
      const isMember = parent === 'properties' && CLOSED.has(name);
      return isMember && !isClosed(schema) && !OPEN.includes(place) ? [place] : [];
    });

    expect(texts).toEqual([]);
  });

  test('so is every query parameter of one', () => {
    const texts = operations.flatMap(({ operationId, parameters = [] }) =>
      parameters
        .filter(({ name, schema }) => CLOSED.has(name) && !isClosed(schema))
        .map(({ name }) => `${operationId} ${name}`),
    );

    // A kind may be given with or without the prefix of the vocabulary. A reason code without a hit is not found.
    expect(texts).toEqual(['createHitReview reason_code', 'listEvents kind', 'listDeliveries kind']);
  });

  test('the lists are those of the specification, in the words of the instance', () => {
    const given = {
      ...vocabulary,
      duplicate_name_dob: 'name_birthday',
      vendors: vocabulary.vendors.map((v) => `x${v}`),
    };
    const other = documentOf({ vocabulary: { ...given, partner_response: 'acme_response' } }).components
      .schemas;
    const wordsOf = (name: string): unknown => other[name]?.['enum'];

    expect(wordsOf('DuplicateKind')).toContain('name_birthday');
    expect(wordsOf('DuplicateKind')).not.toContain('name_dobname');
    expect(wordsOf('DuplicateKind')).toHaveLength(12);
    expect(wordsOf('Vendor')).toEqual(given.vendors);
    expect(wordsOf('ReasonCode')).toEqual(expect.arrayContaining(['watchlist_hit_ofac', 'id_not_located']));
    expect(wordsOf('Severity')).toEqual(['info', 'low', 'medium', 'high']);
    expect(wordsOf('OnboardingStatus')).toEqual(expect.arrayContaining(['pass', 'fail', 'none', 'error']));
    expect(other['ForwardedCip']?.['required']).toEqual(['acme_response', 'status_code']);
  });
});

test('every tag says what it is about', () => {
  for (const { name, description } of document.tags) expect(description, name).not.toBe('');
});

test('every assumption that is cited has its text', () => {
  const cited = [...endpoints.flatMap(({ assumed = [] }) => assumed), ...document['x-assumed']].map(
    ({ why }) => why,
  );
  const inErrors = Object.values(ERRORS).flatMap((entry) => ('assumed' in entry ? [entry.assumed] : []));
  const ids = [...cited, ...inErrors].flatMap(citedIn);

  expect(ids.length).toBeGreaterThan(50);
  for (const id of ids) expect(ASSUMPTIONS, id).toHaveProperty(id);
  expect(document['x-assumptions']).toEqual(ASSUMPTIONS);
});

test('citedIn: ranges and lists name each number', () => {
  expect(citedIn('A25–A27, A40')).toEqual(['A25', 'A26', 'A27', 'A40']);
  expect(citedIn('ours: as §7.4 says')).toEqual([]);
});

describe('vault writes', () => {
  const ajv = validatorOf(document);
  const accepts = (name: string, body: object): boolean =>
    ajv.compile({ $ref: `#/components/schemas/${name}` })(body);
  const written = identifierCatalogue().filter(({ derived, storage }) => !derived && storage !== 'file');
  const concrete = (identifier: string) =>
    identifier.replace('<kind>', 'passport').replace('<alias>', 'main').replace('<name>', 'a.b-c');

  test('a vault write: the schema accepts each identifier with its example or null, in vaults of its kind only', () => {
    for (const { identifier, example, vaults } of written) {
      for (const [kind, name] of [
        ['user', 'UserVaultData'] as const,
        ['business', 'BusinessVaultData'] as const,
      ]) {
        const isOfKind = vaults.includes(kind);
        expect(accepts(name, { [concrete(identifier)]: example }), identifier).toBe(isOfKind);
        expect(accepts(name, { [concrete(identifier)]: null }), identifier).toBe(isOfKind);
      }
    }
  });

  test.each(words`
    id.frist_name id.first_name2 idxfirst_name card.number card.a.b.number custom. document.letter.dob
  `)('a vault write: the schema refuses the name %s', (name) => {
    expect(accepts('UserVaultData', { [name]: 'x' })).toBe(false);
  });
});
