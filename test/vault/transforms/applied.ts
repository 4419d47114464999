import type { Transform } from '../../../src/vault/transforms/index.ts';
import { atOnce } from '../../../src/kernel/time/turns.ts';

/** Applies one transform to a value, all slices at once. */
export function applied(transform: Transform | undefined, value: string | Uint8Array): string | undefined {
  return transform && atOnce(transform.apply(value));
}
