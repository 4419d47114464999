import { Type } from '@sinclair/typebox';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { controlToken, endpoint, open, secretKey } from '../../src/contract/endpoint.ts';
import {
  errorCodesOf,
  openApiDocument,
  operationId,
  pathWithWords,
  type KeyedEndpoint,
  type OpenApiDocument,
  type Operation,
} from '../../src/contract/openapi.ts';
import { endpoints, splitKey } from '../../src/contract/registry.ts';
import { DEFAULT_SETTINGS } from '../../src/contract/settings.ts';

const { vocabulary } = DEFAULT_SETTINGS;

function documentOf(options: Partial<Parameters<typeof openApiDocument>[0]> = {}): OpenApiDocument {
  const document = openApiDocument({
    vocabulary,
    version: '1.2.3',
    baseUrl: 'http://127.0.0.1:4010',
    ...options,
  });
  return JSON.parse(JSON.stringify(document)) as OpenApiDocument;
}

function operationOf(document: OpenApiDocument, method: string, path: string): Operation {
  const operation = document.paths[path]?.[method];
  if (!operation) throw new Error(`no ${method} ${path}`);
  return operation;
}

/** An endpoint of later issues: a partner word in its path, deprecated, with a scope, raw bytes as its answer. */
const partnerReport = endpoint('POST /users/{fp_id}/integrations/{partner_a}/report', {
  auth: secretKey({ scope: 'preview:documents_list', permission: 'review' }),
  stability: 'deprecated',
  query: Type.Object({ part: Type.Integer({ minimum: 1, description: 'which part' }) }),
  body: Type.Object({ note: Type.String() }),
  bodyLimitBytes: 512,
  response: Type.String(),
  produces: 'application/pdf',
  errors: ['conflict'],
  summary: 'A report',
  assumed: [{ what: 'the answer is a file', why: 'A99' }],
});

/** Every schema of a document with the place where it stands. */
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

describe('openApiDocument', () => {
  test('openApiDocument: an independent validator finds it valid', async () => {
    const result = await new Validator().validate(documentOf() as never);

    expect(result).toEqual({ valid: true });
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

    expect(shown.sort()).toEqual(endpoints.map(({ key }) => key as string).sort());
  });

  test('openApiDocument: every schema compiles under JSON Schema 2020-12', () => {
    const document = documentOf();
    const ajv = formats.default(new Ajv2020({ strict: true, strictTypes: false, strictRequired: false }));
    ajv.addSchema(document.components.schemas['Error'] ?? {}, '#/components/schemas/Error');
    const schemas = schemasOf(document);

    expect(schemas.length).toBeGreaterThan(endpoints.length);
    for (const [place, schema] of schemas) expect(() => ajv.compile(schema), place).not.toThrow();
  });

  test('openApiDocument: every reference leads somewhere', () => {
    const document = documentOf();
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      ([, pointer = '']) => pointer,
    );

    expect(references.length).toBeGreaterThan(0);
    for (const pointer of new Set(references)) {
      const target = pointer
        .split('/')
        .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], document);
      expect(target, pointer).toBeDefined();
    }
  });

  test('openApiDocument: the example of a body is accepted by its schema', () => {
    const ajv = formats.default(new Ajv2020({ strict: false }));
    const bodies = Object.values(documentOf().paths)
      .flatMap((operations) => Object.values(operations))
      .flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}));

    expect(bodies.length).toBeGreaterThan(10);
    for (const { schema, example } of bodies) {
      expect(ajv.validate(schema, example), JSON.stringify({ example, errors: ajv.errors })).toBe(true);
    }
  });

  test('openApiDocument: operation ids are unique and stay when the vocabulary changes', () => {
    const idsOf = (document: OpenApiDocument): string[] =>
      Object.values(document.paths).flatMap((operations) =>
        Object.values(operations).map((operation) => operation.operationId),
      );
    const ids = idsOf(documentOf());
    const renamed = { ...vocabulary, partner_a: 'acme', secret_key_header: 'x-acme-key' };

    expect(new Set(ids).size).toBe(endpoints.length);
    expect(idsOf(documentOf({ vocabulary: renamed, endpoints: [partnerReport] }))).toEqual([
      'postUsersByFpIdIntegrationsPartnerAReport',
    ]);
  });

  test('openApiDocument: the secret key header and the partner words are those of the vocabulary', () => {
    const words = { ...vocabulary, secret_key_header: 'x-acme-key', partner_a: 'ac me/?#%' };
    const document = documentOf({ vocabulary: words, endpoints: [partnerReport] });
    const [path = ''] = Object.keys(document.paths);

    expect(document.components.securitySchemes['secretKeyHeader']).toMatchObject({ name: 'x-acme-key' });
    expect(path).toBe('/users/{fp_id}/integrations/ac%20me%2F%3F%23%25/report');
    expect(operationOf(document, 'post', path).parameters?.map(({ name }) => name)).toEqual([
      'fp_id',
      'part',
    ]);
  });

  test('openApiDocument: an endpoint tells what it needs, its limit, its answer and what was assumed', async () => {
    const document = documentOf({ endpoints: [partnerReport] });
    const operation = operationOf(document, 'post', '/users/{fp_id}/integrations/partner_a/report');

    expect(operation).toMatchObject({
      summary: 'A report',
      deprecated: true,
      tags: ['integrations'],
      security: [{ secretKeyBasic: [] }, { secretKeyHeader: [] }],
      'x-stability': 'deprecated',
      'x-required-scope': 'preview:documents_list',
      'x-required-permission': 'review',
      'x-body-limit-bytes': 512,
      'x-assumed': [{ what: 'the answer is a file', why: 'A99' }],
      requestBody: { required: true },
    });
    expect(operation.parameters?.[1]).toEqual({
      name: 'part',
      in: 'query',
      required: true,
      description: 'which part',
      schema: { type: 'integer', minimum: 1 },
    });
    expect(operation.responses['200']).toMatchObject({ content: { 'application/pdf': {} } });
    expect(await new Validator().validate(document as never)).toEqual({ valid: true });
  });

  test('openApiDocument: each endpoint answers the statuses that apply everywhere', () => {
    for (const { key, auth, body } of endpoints) {
      const { method, path } = splitKey(key);
      const statuses = Object.keys(operationOf(documentOf(), method.toLowerCase(), path).responses).map(
        Number,
      );
      const expected = [200, 400, 403, 405, 421, 431, 500];
      if (auth.kind !== 'open') expected.push(401, 503);
      if (path.includes('{')) expected.push(404);
      if (body) expected.push(413, 415);
      expect(statuses, key).toEqual(expect.arrayContaining(expected));
      expect(statuses.includes(401), key).toBe(auth.kind !== 'open');
    }
  });

  test('openApiDocument: open endpoints ask for no credential, the control plane for its token', () => {
    const document = documentOf();

    expect(operationOf(document, 'get', '/_kyclone/health').security).toEqual([]);
    expect(operationOf(document, 'get', '/_kyclone/info').security).toEqual([{ controlToken: [] }]);
    expect(document.components.securitySchemes['controlToken']).toMatchObject({
      type: 'http',
      scheme: 'bearer',
    });
  });

  test('openApiDocument: ready answers 503 with its reason, health never does', () => {
    const document = documentOf();
    const ready = operationOf(document, 'get', '/_kyclone/ready').responses;

    expect(ready['503']).toMatchObject({
      content: ready['200'] && 'content' in ready['200'] && ready['200'].content,
    });
    expect(operationOf(document, 'get', '/_kyclone/health').responses).not.toHaveProperty('503');
  });

  test.each([
    ['post', '/users', true],
    ['patch', '/users/{fp_id}/vault', true],
    ['get', '/businesses/{fp_bid}/vault', true],
    ['delete', '/businesses/{fp_bid}/vault', true],
    ['post', '/users/{fp_id}/vault/decrypt', true],
    ['post', '/users/{fp_id}/vault/validate', false],
    ['post', '/users/{fp_id}/vault/integrity', false],
    ['get', '/users/{fp_id}', false],
    ['delete', '/users/{fp_id}', false],
    ['get', '/_kyclone/info', false],
  ])('openApiDocument: %s %s answers a vault version: %s', (method, path, expected) => {
    const success = operationOf(documentOf(), method, path).responses['200'];

    expect(success && 'headers' in success && 'x-fp-vault-version' in success.headers).toBe(expected);
  });
});

describe('errorCodesOf', () => {
  test.each<[string, KeyedEndpoint, string[], string[]]>([
    [
      'a key endpoint with scope and permission',
      partnerReport,
      ['conflict', 'unauthenticated', 'scope_missing', 'permission_denied', 'not_found', 'invalid_json'],
      [],
    ],
    [
      'a control endpoint without a body',
      endpoint('GET /_kyclone/things', {
        auth: controlToken,
        stability: 'emulator',
        response: Type.Object({}),
        errors: [],
        summary: '',
      }),
      ['unauthenticated', 'origin_refused', 'sealed'],
      [
        'scope_missing',
        'permission_denied',
        'not_found',
        'invalid_json',
        'payload_too_large',
        'vault_damaged',
      ],
    ],
    [
      'an open endpoint',
      endpoint('GET /_kyclone/page', {
        auth: open,
        stability: 'emulator',
        response: Type.Object({}),
        errors: [],
        summary: '',
      }),
      ['misdirected_request', 'origin_refused', 'method_not_allowed', 'headers_too_large', 'internal_error'],
      ['unauthenticated', 'permission_denied'],
    ],
  ])('errorCodesOf: %s', (_, definition, present, absent) => {
    const codes = errorCodesOf(definition);

    expect(codes).toEqual(expect.arrayContaining(present));
    for (const code of absent) expect(codes).not.toContain(code);
    expect(new Set(codes).size).toBe(codes.length);
  });
});

describe('operationId', () => {
  test.each([
    ['POST /users', 'postUsers'],
    ['GET /users/{fp_id}', 'getUsersByFpId'],
    ['POST /users/{fp_id}/vault/decrypt', 'postUsersByFpIdVaultDecrypt'],
    ['GET /_kyclone/access-log/verify', 'getKycloneAccessLogVerify'],
    ['GET /_kyclone/openapi.json', 'getKycloneOpenapiJson'],
  ] as const)('operationId: %s is %s', (key, expected) => {
    expect(operationId(key)).toBe(expected);
  });
});

describe('pathWithWords', () => {
  test('pathWithWords: a word that is no well-formed text still makes a path', () => {
    expect(pathWithWords('/x/{partner_b}/{id}', { partner_a: 'a', partner_b: '\uD800b' })).toBe(
      '/x/%EF%BF%BDb/{id}',
    );
  });
});
