/** Signatures against the example that the Standard Webhooks specification and its libraries publish. */
import { expect, test } from 'vitest';
import { keyOf, newSecret, signatures } from '../../../src/nouns/webhooks/service/signing.ts';

/** From the specification's own tests. */
const PUBLISHED = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  seconds: 1614265330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

const key = keyOf(PUBLISHED.secret) ?? new Uint8Array();

test('signature: of the published example', () => {
  expect(signatures([key], PUBLISHED)).toBe(PUBLISHED.signature);
});

test('signature: of several keys, in their order, with blanks between', () => {
  const other = keyOf(newSecret()) ?? new Uint8Array();
  const second = signatures([other], PUBLISHED);

  expect(signatures([key, other], PUBLISHED)).toBe(`${PUBLISHED.signature} ${second}`);
  expect(second).not.toBe(PUBLISHED.signature);
});

test('secret: a new one is 32 bytes, and never the same', () => {
  const secrets = Array.from({ length: 100 }, newSecret);

  expect(new Set(secrets).size).toBe(100);
  for (const secret of secrets) expect(keyOf(secret)).toHaveLength(32);
});
