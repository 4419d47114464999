import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { pathWithWords, type OpenApiDocument } from '../../src/contract/openapi.ts';
import type { SuccessResponse } from '../../src/contract/openapi-responses.ts';
import { endpoints, splitKey } from '../../src/contract/registry.ts';
import { documentOf, operationOf, partnerReport, validatorOf, vocabulary } from './openapi-document.ts';

/** Returns every schema of a document with its place. */
function schemasOf(document: OpenApiDocument): [string, object][] {
  const schemas: [string, object][] = [];
  const visit = (value: unknown, place: string): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, child] of Object.entries(value)) {
      if (key === 'schema') schemas.push([place, child as object]);
      else visit(child, `${place}/${key}`);
    }
  };
  visit(document, '');
  return schemas;
}

test('openApiDocument: an independent validator finds it valid', async () => {
  expect(await new Validator().validate(documentOf() as never)).toEqual({ valid: true });
});

test('openApiDocument: the validator refuses a document with a broken operation', async () => {
  const document = documentOf();
  Reflect.deleteProperty(operationOf(document, 'post', '/users').responses['200'] ?? {}, 'description');

  expect((await new Validator().validate(document as never)).valid).toBe(false);
});

test('openApiDocument: every endpoint of the registry is there, and nothing else', () => {
  const document = documentOf();
  const shown = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );

  expect(shown.sort()).toEqual(endpoints.map(({ key }) => pathWithWords(key, vocabulary)).sort());
});

test('openApiDocument: the name of each component begins with a letter, as the name of a type does', () => {
  const names = Object.values(documentOf().components).flatMap((group) => Object.keys(group));
  expect(names.filter((name) => !/^[A-Za-z]/.test(name))).toEqual([]);
});

test('openApiDocument: the answer of the proxy may be any JSON, or anything else', () => {
  for (const path of ['/vault_proxy/jit', '/vault_proxy/{proxy_id}', '/vault_proxy/reflect']) {
    const { content } = operationOf(documentOf(), 'post', path).responses['200'] as SuccessResponse;
    expect(content).toMatchObject({
      '*/*': { schema: { type: 'string' } },
      'application/json': { schema: {} },
    });
  }
});

test('openApiDocument: every schema compiles under JSON Schema 2020-12', () => {
  const document = documentOf();
  const ajv = validatorOf(document);
  const schemas = schemasOf(document);

  expect(schemas.length).toBeGreaterThan(endpoints.length);
  for (const [place, schema] of schemas) expect(() => ajv.compile(schema), place).not.toThrow();
});

test('openApiDocument: the example of a JSON body is accepted by its schema', () => {
  const document = documentOf();
  const ajv = validatorOf(document);
  const bodies = Object.values(document.paths)
    .flatMap((operations) => Object.values(operations))
    .flatMap(({ requestBody }) => requestBody?.content['application/json'] ?? []);

  expect(bodies.length).toBeGreaterThan(10);
  for (const { schema, example } of bodies) {
    expect(ajv.validate(schema, example), JSON.stringify({ example, errors: ajv.errors })).toBe(true);
  }
});

test('openApiDocument: operation ids stay when the vocabulary changes', () => {
  const idsOf = (document: OpenApiDocument): string[] =>
    Object.values(document.paths).flatMap((operations) =>
      Object.values(operations).map((operation) => operation.operationId),
    );
  const renamed = { ...vocabulary, partner_a: 'acme', secret_key_header: 'x-acme-key' };

  expect(idsOf(documentOf({ vocabulary: renamed, endpoints: [partnerReport] }))).toEqual([
    'createUserReport',
  ]);
});

test('openApiDocument: the secret key header and the partner words are those of the vocabulary', () => {
  const words = { ...vocabulary, secret_key_header: 'x-acme-key', partner_a: 'ac me/?#%' };
  const document = documentOf({ vocabulary: words, endpoints: [partnerReport] });
  const [path = ''] = Object.keys(document.paths);

  expect(document.components.securitySchemes['secretKeyHeader']).toMatchObject({ name: 'x-acme-key' });
  expect(path).toBe('/users/{fp_id}/integrations/ac%20me%2F%3F%23%25/report');
  expect(operationOf(document, 'post', path).parameters?.map(({ name }) => name)).toEqual(['fp_id', 'part']);
});

test('openApiDocument: each endpoint declares the statuses that apply everywhere', () => {
  const document = documentOf();
  for (const { key, auth, body, errors = [] } of endpoints) {
    const { method, path } = splitKey(pathWithWords(key, vocabulary) as typeof key);
    const statuses = Object.keys(operationOf(document, method.toLowerCase(), path).responses).map(Number);
    const expected = [200, 400, 403, 405, 421, 431, 500];
    if (auth.kind !== 'open') expected.push(401, 503);
    if (path.includes('{')) expected.push(404);
    if (body) expected.push(413, 415);
    expect(statuses, key).toEqual(expect.arrayContaining(expected));
    expect(statuses.includes(401), key).toBe(auth.kind !== 'open' || errors.includes('unauthenticated'));
  }
});

test('pathWithWords: a word that is no well-formed text still makes a path', () => {
  expect(pathWithWords('/x/{partner_b}/{id}', { partner_a: 'a', partner_b: '\uD800b' })).toBe(
    '/x/%EF%BF%BDb/{id}',
  );
});
