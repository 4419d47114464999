import { Type } from '@sinclair/typebox';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import {
  clientToken,
  controlToken,
  endpoint,
  open,
  pathToken,
  secretKey,
} from '../../src/contract/endpoint.ts';
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
import { FileContent, UploadBody } from '../../src/contract/shapes.ts';
import { ABILITIES } from '../../src/resources/client-tokens/caller.ts';

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

const DOWNLOAD = '/users/vault/decrypt/{token}';
const UPLOADS = [
  '/users/vault/{identifier}/upload',
  '/users/{fp_id}/vault/{identifier}/upload',
  '/businesses/{fp_bid}/vault/{identifier}/upload',
];

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

  test('openApiDocument: the example of a JSON body is accepted by its schema', () => {
    const ajv = formats.default(new Ajv2020({ strict: false }));
    const bodies = Object.values(documentOf().paths)
      .flatMap((operations) => Object.values(operations))
      .flatMap(({ requestBody }) => requestBody?.content['application/json'] ?? []);

    expect(bodies.length).toBeGreaterThan(10);
    for (const { schema, example } of bodies) {
      expect(ajv.validate(schema, example), JSON.stringify({ example, errors: ajv.errors })).toBe(true);
    }
  });

  test.each([
    [
      '/users/{fp_id}/client_token',
      { scope: 'vault_and_decrypt', fields: ['id.first_name', 'id.last_name'] },
    ],
    ['/businesses/{fp_bid}/client_token', { scope: 'vault_and_decrypt', fields: ['business.name'] }],
    ['/users/vault/decrypt', { fields: ['id.first_name', 'id.last_name'] }],
    ['/users/search', { search: 'jane@example.com' }],
    ['/users/{fp_id}/label', { kind: 'active' }],
    ['/users/{fp_id}/tags', { tag: 'vip' }],
  ])('openApiDocument: the example of POST %s shows what a call is made of', (path, expected) => {
    const { requestBody } = operationOf(documentOf(), 'post', path);

    expect(requestBody?.content['application/json']?.example).toMatchObject(expected);
  });

  test('openApiDocument: a format of our own is said in formats of the standard', () => {
    const { requestBody } = operationOf(documentOf(), 'patch', '/_kyclone/entities/{fp_id}');
    const ajv = formats.default(new Ajv2020());
    const accepts = ajv.compile(requestBody?.content['application/json']?.schema ?? {});

    for (const ip_address of ['192.0.2.7', '2001:db8::7', null]) expect(accepts({ ip_address })).toBe(true);
    for (const ip_address of ['192.0.2', 'text', 7]) expect(accepts({ ip_address })).toBe(false);
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

  test('openApiDocument: a client token goes into its header', () => {
    const document = documentOf();

    expect(document.components.securitySchemes['clientToken']).toMatchObject({
      type: 'apiKey',
      in: 'header',
      name: 'x-fp-authorization',
    });
    for (const [method, path] of [
      ['get', '/users/client_token'],
      ['patch', '/users/vault'],
      ['post', '/users/vault/validate'],
      ['post', '/users/vault/decrypt'],
      ['post', '/users/vault/{identifier}/upload'],
    ] as const) {
      expect(operationOf(document, method, path).security, path).toEqual([{ clientToken: [] }]);
    }
  });

  test('openApiDocument: the token of a path is a parameter and the only credential', () => {
    const download = operationOf(documentOf(), 'get', DOWNLOAD);

    expect(download.security).toEqual([]);
    expect(download.description).toContain('only credential');
    expect(download.parameters?.[0]).toEqual({
      name: 'token',
      in: 'path',
      required: true,
      description: expect.stringContaining('decrypt_download') as string,
      schema: { type: 'string', pattern: '^cttok_[0-9A-Za-z]{34}$' },
    });
    expect(download.responses).toHaveProperty('401');
  });

  test('openApiDocument: an endpoint asks for the token scopes that have its ability', () => {
    for (const { key, auth } of endpoints) {
      const { method, path } = splitKey(key);
      const may = auth.kind === 'token' ? auth.may : undefined;
      const able = Object.entries(ABILITIES).filter(([, abilities]) => may && abilities.includes(may));
      const asked = operationOf(documentOf(), method.toLowerCase(), path)['x-required-token-scopes'];

      expect([...(asked ?? [])].sort(), key).toEqual(able.map(([scope]) => scope).sort());
    }
  });

  test('openApiDocument: a refusal that the access log tells of is marked with its operation', () => {
    const document = documentOf();

    expect(operationOf(document, 'post', '/users/search')).toMatchObject({
      'x-required-permission': 'decrypt:*',
      'x-logs-refusal-as': 'search',
    });
    expect(operationOf(document, 'get', DOWNLOAD)['x-logs-refusal-as']).toBe('download');
    expect(operationOf(document, 'post', '/users/vault/decrypt')['x-logs-refusal-as']).toBe('decrypt');
    expect(operationOf(document, 'patch', '/users/vault')).not.toHaveProperty('x-logs-refusal-as');
  });

  test.each(UPLOADS)('openApiDocument: POST %s takes bytes or a form with one part', (path) => {
    const operation = operationOf(documentOf(), 'post', path);
    const bytes = { type: 'string', format: 'binary' };

    expect(operation['x-body-limit-bytes']).toBe(10_485_760);
    expect(operation.requestBody).toEqual({
      required: true,
      description: expect.stringContaining('any content type') as string,
      content: {
        'application/octet-stream': { schema: bytes },
        'multipart/form-data': {
          schema: {
            type: 'object',
            properties: { upload_file: expect.objectContaining(bytes) as object },
            required: ['upload_file'],
            additionalProperties: false,
          },
        },
      },
    });
  });

  test('openApiDocument: a download answers bytes as an attachment, its failures JSON', () => {
    const { responses } = operationOf(documentOf(), 'get', DOWNLOAD);

    expect(responses['200']).toMatchObject({
      description: expect.stringContaining('content type of the upload') as string,
      headers: { 'content-disposition': {} },
      content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
    });
    expect(responses['404']).toHaveProperty('$ref');
  });

  test('openApiDocument: no other answer is an attachment', () => {
    const document = documentOf();
    const attachments = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.values(operations).flatMap(({ responses }) => {
        const success = responses['200'];
        return success && 'headers' in success && 'content-disposition' in success.headers ? [path] : [];
      }),
    );

    expect(attachments).toEqual([DOWNLOAD]);
  });

  test.each([
    ['patch', '/users/vault', 'vault'],
    ['post', '/users/vault/{identifier}/upload', 'vault'],
    ['get', DOWNLOAD, 'vault'],
    ['post', '/users/{fp_id}/client_token', 'client token'],
    ['get', '/users/client_token', 'client token'],
    ['post', '/users/search', 'users'],
    ['delete', '/users/{fp_id}/tags/{tag_id}', 'tags'],
    ['delete', '/_kyclone/tokens/{id}', 'emulator'],
  ])('openApiDocument: %s %s is about: %s', (method, path, expected) => {
    expect(operationOf(documentOf(), method, path).tags).toEqual([expected]);
  });

  test.each([
    ['users', '/users/{fp_id}/vault/{identifier}/upload', 'document.id_card.front.image'],
    ['businesses', UPLOADS[2] ?? '', 'document.custom.articles_of_incorporation'],
  ])('openApiDocument: the example of an identifier is one that %s have', (_, path, expected) => {
    const identifier = operationOf(documentOf(), 'post', path).parameters?.find(
      ({ name }) => name === 'identifier',
    );

    expect(identifier).toMatchObject({ in: 'path', required: true, example: expected });
  });

  test('openApiDocument: ready answers 503 with its reason, health never does', () => {
    const document = documentOf();
    const ready = operationOf(document, 'get', '/_kyclone/ready').responses;

    expect(ready['503']).toMatchObject({
      content: ready['200'] && 'content' in ready['200'] && ready['200'].content,
    });
    expect(operationOf(document, 'get', '/_kyclone/health').responses).not.toHaveProperty('503');
  });

  test.each<[string, string, boolean]>([
    ['post', '/users', true],
    ['patch', '/users/{fp_id}/vault', true],
    ['get', '/businesses/{fp_bid}/vault', true],
    ['delete', '/businesses/{fp_bid}/vault', true],
    ['post', '/users/{fp_id}/vault/decrypt', true],
    ...UPLOADS.map((path): [string, string, boolean] => ['post', path, true]),
    ['patch', '/users/vault', true],
    ['post', '/users/vault/decrypt', true],
    ['post', '/users/vault/validate', false],
    ['get', '/users/client_token', false],
    ['post', '/users/{fp_id}/client_token', false],
    ['post', '/users/{fp_id}/label', false],
    ['post', '/users/search', false],
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
        'storage_full',
        'token_expired',
      ],
    ],
    [
      'a control endpoint that opens an entity',
      endpoint('PATCH /_kyclone/entities/{fp_id}', {
        auth: controlToken,
        stability: 'emulator',
        body: Type.Object({}),
        response: Type.Object({}),
        errors: [],
        summary: '',
      }),
      ['vault_damaged', 'not_found'],
      ['permission_denied'],
    ],
    [
      'any token',
      endpoint('GET /users/client_token', {
        auth: clientToken(),
        stability: 'extension',
        response: Type.Object({}),
        errors: [],
        summary: '',
      }),
      ['unauthenticated', 'token_expired'],
      ['permission_denied', 'scope_missing', 'not_found', 'storage_full'],
    ],
    [
      'a token that must be able to write',
      endpoint('PATCH /users/vault', {
        auth: clientToken({ may: 'write' }),
        stability: 'stable',
        body: Type.Object({}),
        response: Type.Object({}),
        errors: ['T120'],
        summary: '',
      }),
      ['T120', 'unauthenticated', 'token_expired', 'permission_denied', 'vault_damaged', 'invalid_json'],
      ['scope_missing', 'not_found'],
    ],
    [
      'an upload, whose body is not JSON',
      endpoint('POST /users/{fp_id}/vault/{identifier}/upload', {
        auth: secretKey({ permission: 'vault.write' }),
        stability: 'extension',
        body: UploadBody,
        takesFile: true,
        response: Type.Object({}),
        errors: [],
        summary: '',
      }),
      ['permission_denied', 'unsupported_media_type', 'payload_too_large', 'storage_full', 'not_found'],
      ['invalid_json', 'token_expired'],
    ],
    [
      'a download, which the access log tells of',
      endpoint('GET /users/vault/decrypt/{token}', {
        auth: pathToken({ may: 'download' }),
        stability: 'stable',
        response: FileContent,
        produces: 'application/octet-stream',
        errors: ['reason_required'],
        logsRefusalAs: 'download',
        summary: '',
      }),
      ['unauthenticated', 'token_expired', 'permission_denied', 'not_found', 'vault_damaged', 'storage_full'],
      ['invalid_json', 'unsupported_media_type', 'payload_too_large'],
    ],
    [
      'a search',
      endpoint('POST /users/search', {
        auth: secretKey({ permission: 'decrypt:*' }),
        stability: 'extension',
        body: Type.Object({}),
        response: Type.Object({}),
        errors: [],
        logsRefusalAs: 'search',
        summary: '',
      }),
      ['permission_denied', 'storage_full'],
      ['scope_missing', 'not_found'],
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
