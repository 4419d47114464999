import type { Transform } from '../../../src/vault/transforms/index.ts';
import { atOnce } from '../../../src/vault/transforms/slices.ts';

/** What one transform makes of a value, all slices in one go. */
export function applied(transform: Transform | undefined, value: string | Uint8Array): string | undefined {
  return transform && atOnce(transform.apply(value));
}
