import { expect, test } from 'vitest';
import { receiversText } from '../../../src/nouns/inspector/service/index.ts';

const failed = { status: 'failed', attempts: 8 } as const;
const failing = { status: 'pending', attempts: 3 } as const;
const pending = { status: 'pending', attempts: 0 } as const;
const delivered = { status: 'delivered', attempts: 1 } as const;

test.each([
  [[], 'no receiver'],
  [[delivered], 'delivered'],
  [[failing], 'failing (3 of 8)'],
  [[failed, failed, failed, delivered], '3 of 4 failed'],
  [[failed, failing, failing, pending], '1 of 4 failed, 2 failing, 1 pending'],
  [[delivered, delivered], '2 of 2 delivered'],
])('receivers: %j', (deliveries, text) => {
  expect(receiversText(deliveries.map((each, at) => ({ ...each, webhook: String(at) })))).toBe(text);
});

test('receivers: what was sent again counts by its newest delivery', () => {
  const again = [failed, delivered].map((each) => ({ ...each, webhook: 'one' }));
  expect(receiversText([...again, { ...failed, webhook: 'two' }])).toBe('1 of 2 failed');
});
