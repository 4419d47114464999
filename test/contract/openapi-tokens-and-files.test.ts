/** How the document describes client tokens, files, and the parts of an answer that depend on the endpoint. */
import { expect, test } from 'vitest';
import { documentOf, operationOf } from './openapi-document.ts';

const DOWNLOAD = '/users/vault/decrypt/{token}';
const UPLOADS = [
  '/users/vault/{identifier}/upload',
  '/users/{fp_id}/vault/{identifier}/upload',
  '/businesses/{fp_bid}/vault/{identifier}/upload',
];

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

test('openApiDocument: a refusal that the access log records is marked with its operation', () => {
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

test.each([
  ['users', '/users/{fp_id}/vault/{identifier}/upload', 'document.id_card.front.image'],
  ['businesses', UPLOADS[2] ?? '', 'document.custom.articles_of_incorporation'],
])('openApiDocument: the example of an identifier is one that %s have', (_, path, expected) => {
  const identifier = operationOf(documentOf(), 'post', path).parameters?.find(
    ({ name }) => name === 'identifier',
  );

  expect(identifier).toMatchObject({ in: 'path', required: true, example: expected });
});
