/** Compares bytes at once: one by one, as Vitest does it, a store takes seconds. */
import { expect } from 'vitest';

declare global {
  // The testers outlive a file, and this module is run for each.
  var comparesBytes: true | undefined;
}

if (!globalThis.comparesBytes) {
  expect.addEqualityTesters([
    (one, other) => (Buffer.isBuffer(one) && Buffer.isBuffer(other) ? one.equals(other) : undefined),
  ]);
  globalThis.comparesBytes = true;
}
