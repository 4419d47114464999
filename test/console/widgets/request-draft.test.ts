import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { OpenApiDocument } from '../../../src/contract/openapi.ts';
import { asFields, asJson, builtRequest, firstDraft } from '../../../src/console/widgets/request-draft.ts';
import {
  foundOperations,
  operationsOf,
  type Operation,
} from '../../../src/console/widgets/request-operations.ts';
import { ROOT } from '../../support/root.ts';

const OPENAPI = JSON.parse(
  readFileSync(join(ROOT, 'test/snapshots/openapi.json'), 'utf8'),
) as OpenApiDocument;
const NOT_JSON: unknown = expect.stringMatching(/^Not JSON/);
const OPERATIONS = operationsOf(OPENAPI);

function operation(id: string): Operation {
  const found = OPERATIONS.find((each) => each.id === id);
  if (!found) throw new Error(`the document has no ${id}`);
  return found;
}

test('operationsOf: every operation of the document is there, with a field for each name in its path', () => {
  expect(OPERATIONS.map(({ id }) => id)).toEqual(
    Object.entries(OPENAPI.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    ),
  );
  for (const { id, path, fields, body, credentials } of OPERATIONS) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(
      fields.filter(({ place }) => place === 'path').map(({ name }) => name),
      id,
    ).toEqual(names);
    expect(credentials.length, id).toBeGreaterThan(0);
    expect(
      body?.members?.every(({ name }) => name !== ''),
      id,
    ).not.toBe(false);
  }
});

test('operationsOf: kinds of fields, alternatives and null among them', () => {
  const paths: OpenApiDocument['paths'] = {
    '/a': {
      post: {
        operationId: 'a',
        summary: '',
        tags: [''],
        'x-stability': 'stable',
        responses: {},
        security: [{ controlToken: [] }, { clientToken: [] }],
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: { anyOf: [{ $ref: '#/components/schemas/A' }, { type: 'null' }] } },
          },
        },
      },
    },
  };
  const schemas = {
    A: {
      required: ['text'],
      properties: {
        text: { type: ['string', 'null'] },
        count: { type: 'integer' },
        is: { type: 'boolean' },
        one: { anyOf: [{ enum: ['a', 'b'], type: 'string' }, { type: 'null' }] },
        list: { type: ['array', 'null'] },
        any: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
        other: { $ref: '#/components/schemas/Other' },
      },
    },
    Other: { type: 'object' },
  };
  const [found] = operationsOf({ ...OPENAPI, paths, components: { ...OPENAPI.components, schemas } });
  expect(found?.credentials).toEqual(['control', 'token']);
  expect(found?.body?.members?.map(({ name, kind, isRequired }) => `${name} ${kind} ${isRequired}`)).toEqual([
    'text text true',
    'count number false',
    'is boolean false',
    'one choice false',
    'list json false',
    'any any false',
    'other json false',
  ]);
});

test('foundOperations: every word, in any order and case', () => {
  const ids = (search: string) => foundOperations(OPERATIONS, search).map(({ id }) => id);
  expect(ids('DECRYPT users post')).toContain('POST /users/{fp_id}/vault/decrypt');
  expect(ids('decrypt nowhere')).toEqual([]);
  expect(ids('  ')).toHaveLength(OPERATIONS.length);
});

test('firstDraft: with its example every body is sendable, and is the example', () => {
  for (const each of OPERATIONS.filter(({ body }) => body?.example !== undefined)) {
    const { request, problems } = builtRequest(each, firstDraft(each));
    // An optional body without members is not sent.
    expect(JSON.parse(request.body ?? '{}'), each.id).toEqual(each.body?.example);
    expect(
      Object.keys(problems).filter((key) => key.startsWith('body')),
      each.id,
    ).toEqual([]);
  }
});

test('asJson and asFields: there and back changes nothing', () => {
  for (const each of OPERATIONS.filter(({ body }) => body?.members !== undefined)) {
    const draft = firstDraft(each);
    const back = asFields(each, asJson(each, draft));
    expect(back && builtRequest(each, back), each.id).toEqual(builtRequest(each, draft));
  }
});

test('builtRequest: names and values are encoded, and empty ones are not sent', () => {
  const { request, problems } = builtRequest(operation('GET /users/{fp_id}/vault'), {
    operation: '',
    as: 'key',
    values: { 'path:fp_id': 'a/b?c#d $&', 'query:fields': 'id.dob,é&x=1', 'header:x-fp-vault-version': '' },
    members: [],
    json: undefined,
  });
  expect(request).toEqual({
    method: 'GET',
    path: '/users/a%2Fb%3Fc%23d%20%24%26/vault?fields=id.dob%2C%C3%A9%26x%3D1',
    credential: 'key',
    headers: {},
    body: undefined,
  });
  expect(problems).toEqual({});
});

const DECRYPT = operation('POST /users/{fp_id}/vault/decrypt');
const draftWith = (values: Record<string, string>, json?: string) => ({
  ...firstDraft(DECRYPT),
  values: { 'path:fp_id': 'fp_id_1', ...values },
  json,
});

test.each([
  [{ 'body:fields': '["id.dob"]' }, {}],
  [{ 'body:fields': '' }, { 'body:fields': 'Required' }],
  [
    { 'body:fields': '["id.dob"', 'path:fp_id': '' },
    { 'body:fields': NOT_JSON, 'path:fp_id': 'Required' },
  ],
  [{ 'body:fields': '[]', 'path:fp_id': '..' }, { 'path:fp_id': 'Not sendable in a path' }],
])('builtRequest: %j has the problems %j', (values, problems) => {
  expect(builtRequest(DECRYPT, draftWith(values)).problems).toEqual(problems);
});

test('builtRequest: a body as text is sent as it is, and its line is named where it is no JSON', () => {
  const text = '{ "fields": [1e2, 9007199254740993] }';
  expect(builtRequest(DECRYPT, draftWith({}, text))).toMatchObject({ request: { body: text }, problems: {} });
  expect(builtRequest(DECRYPT, draftWith({}, '{\n"a": 1,\n}')).problems).toEqual({
    body: 'Not JSON: line 3',
  });
  expect(builtRequest(DECRYPT, draftWith({}, ' ')).problems).toEqual({ body: 'Required' });
});

test('builtRequest: members by their kind; what the schema does not name is JSON or a text', () => {
  const create = operation('POST /users');
  const read = (value: string) => {
    const draft = { ...firstDraft(create), members: ['custom.a'], values: { 'body:custom.a': value } };
    const { request, problems } = builtRequest(create, draft);
    return Object.keys(problems).length > 0 ? problems : (JSON.parse(request.body ?? '{}') as unknown);
  };
  expect([read('blue'), read('4'), read('"4"'), read('{"a":1}'), read('')]).toEqual([
    { 'custom.a': 'blue' },
    { 'custom.a': 4 },
    { 'custom.a': '4' },
    { 'custom.a': { a: 1 } },
    {},
  ]);
  expect(read('{"a"')).toEqual({ 'body:custom.a': NOT_JSON });
});

test('firstDraft: the person in the path stays for the next operation; an id that means another thing does not', () => {
  const decrypt = operation('POST /users/{fp_id}/vault/decrypt');
  const write = { ...firstDraft(decrypt), values: { 'path:fp_id': 'fp_id_1', 'body:reason': 'why' } };
  const fault = { ...firstDraft(operation('DELETE /_kyclone/faults/{id}')), values: { 'path:id': 'flt_1' } };

  expect(firstDraft(operation('GET /users/{fp_id}'), write).values).toEqual({ 'path:fp_id': 'fp_id_1' });
  expect(firstDraft(operation('GET /users'), write).values).toEqual({});
  expect(firstDraft(operation('GET /onboardings/{id}'), fault).values).toEqual({});
});

test('asFields, asJson: a number stays as it was written', () => {
  const update = operation('PATCH /users/{fp_id}/vault');
  const json = '{"custom.big":12345678901234567890,"custom.price":1.10,"custom.list":[1e21]}';
  const fields = asFields(update, { ...firstDraft(update), json });
  if (fields === undefined) throw new Error('the body has no fields');
  const compact = (text = '') => text.replaceAll(/\s/g, '');
  expect(compact(builtRequest(update, fields).request.body)).toBe(json);
  expect(compact(asJson(update, fields).json)).toBe(json);
});

test.each(['{"id.first_name":null}', '{"id.first_name":""}', '{"custom.a":""}'])(
  'asFields: %s stays JSON, since its fields would send another body',
  (json) => {
    const update = operation('PATCH /users/{fp_id}/vault');
    expect(asFields(update, { ...firstDraft(update), json })).toBeUndefined();
  },
);
