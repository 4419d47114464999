/** Actions of the access log in the OpenAPI document: the header that says what the caller knew, and its 409. */
import { expect, test } from 'vitest';
import { OPERATOR_HEADER, SEEN_HEADER } from '../../src/nouns/access-log/facts.ts';
import { endpoints, splitKey } from '../../src/contract/registry.ts';
import { documentOf, operationOf } from './openapi-document.ts';

/** Each has a reason for the access log, or a word for it. */
const ACTS = endpoints.filter((endpoint) => {
  const isRead = endpoint.key.endsWith('/compare') || endpoint.key.startsWith('GET ');
  return !isRead && JSON.stringify(endpoint.body ?? {}).includes('why, for the access log');
});

test.each([...ACTS.map(({ key }) => key), 'POST /users/{fp_id}/decisions'] as const)(
  '%s: takes the headers of an action, and may be 409',
  (key) => {
    const { method, path } = splitKey(key);
    const operation = operationOf(documentOf(), method.toLowerCase(), path);
    const headers = operation.parameters?.filter((each) => each.in === 'header').map(({ name }) => name);
    expect(headers).toEqual(expect.arrayContaining([OPERATOR_HEADER, SEEN_HEADER]));
    expect(Object.keys(operation.responses)).toContain('409');
  },
);

test('actions: there are some', () => {
  expect(ACTS.length).toBeGreaterThan(10);
});
