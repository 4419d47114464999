import { expect, test } from 'vitest';
import { entityEndpoint } from '../../src/client/entity-endpoint.ts';

test('entityEndpoint: the endpoint of users or of businesses, by the prefix of the id', () => {
  expect(entityEndpoint('GET /{entity}/vault', 'fp_id_1')).toEqual({
    key: 'GET /users/{fp_id}/vault',
    params: { fp_id: 'fp_id_1' },
  });
  expect(entityEndpoint('POST /{entity}/vault/{identifier}/upload', 'fp_bid_1')).toEqual({
    key: 'POST /businesses/{fp_bid}/vault/{identifier}/upload',
    params: { fp_bid: 'fp_bid_1' },
  });
});
