/** C4: a million encryptions, under one key and under many: no nonce occurs twice, and none is a counter. */
import { setImmediate } from 'node:timers/promises';
import { expect } from 'vitest';
import { secretBytes } from '../../../src/kernel/ids/random.ts';
import { KEY_BYTES, open, seal } from '../../../src/vault/envelope.ts';
import type { Run, TorturePromise } from '../promise.ts';

const NONCE = { start: 2, end: 26 };
const ENCRYPTIONS_A_ROUND = 20_000;
/** The promise remembers this many nonces; after that it forgets them and starts again. */
const ENCRYPTIONS_COMPARED = 1_000_000;

export const nonces: TorturePromise = {
  id: 'C4',
  name: 'nonces',
  says: 'no two encryptions have the same nonce, of a million at a time',
  async *rounds({ random, count }: Run) {
    const seen = new Set<string>();
    const key = secretBytes(KEY_BYTES);
    const plaintext = new Uint8Array(4);
    for (;;) {
      if (seen.size >= ENCRYPTIONS_COMPARED) seen.clear();
      const before = seen.size;
      for (let made = 0; made < ENCRYPTIONS_A_ROUND; made++) {
        const own = random.once(8) ? secretBytes(KEY_BYTES) : key;
        const envelope = seal(own, plaintext);
        seen.add(Buffer.from(envelope.subarray(NONCE.start, NONCE.end)).toString('latin1'));
        if (made === 0) expect(open(own, envelope)).toEqual(plaintext);
      }
      expect(seen.size - before).toBe(ENCRYPTIONS_A_ROUND);
      count('encryptions', ENCRYPTIONS_A_ROUND);
      // Yields to the event loop, so that the run can check its time.
      await setImmediate();
      yield;
    }
  },
};
