import { expect, test } from 'vitest';
import { RECEIVER_WIDTH, receiverNames } from '../../../../src/nouns/webhooks/screen/deliveries.ts';

const ID = 'whk_7p793EF07xKXHqAeg5VG';

test.each([
  [
    'short URLs stay whole',
    ['http://localhost:3000/a', 'http://127.0.0.1:9/hooks'],
    ['localhost:3000/a', '127.0.0.1:9/hooks'],
  ],
  [
    'one host, other paths',
    ['https://hooks.example.com/v1/customers', 'https://hooks.example.com/v1/accounts'],
    ['hooks.…/v1/customers', 'hooks.…m/v1/accounts'],
  ],
  [
    'other hosts, one path',
    ['https://a.example.com/webhooks/kyclone', 'https://b.example.com/webhooks/kyclone'],
    ['a.exam…hooks/kyclone', 'b.exam…hooks/kyclone'],
  ],
  [
    'other queries',
    ['https://hooks.example.com/in?team=red', 'https://hooks.example.com/in?team=blue'],
    ['hooks.…m/in?team=red', 'hooks.…/in?team=blue'],
  ],
  [
    'only the middle differs',
    [
      'https://hooks.example.com/red/customers/kyc/events',
      'https://hooks.example.com/blu/customers/kyc/events',
    ],
    ['…rs/kyc/events VG_0a', '…rs/kyc/events VG_1a'],
  ],
  [
    'one URL twice',
    ['http://localhost:3000/a', 'http://localhost:3000/a'],
    ['…alhost:3000/a VG_0a', '…alhost:3000/a VG_1a'],
  ],
])('receivers: %s', (_, urls, expected) => {
  const receivers = urls.map((url, at) => ({ id: `${ID}_${at}a`, url }));
  const names = [...receiverNames(receivers).values()];
  expect(new Set(names).size).toBe(urls.length);
  for (const name of names) expect(Array.from(name).length).toBeLessThanOrEqual(RECEIVER_WIDTH);
  expect(names).toEqual(expected);
});
