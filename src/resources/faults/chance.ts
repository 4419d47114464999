/** The draws for a rule's probability: the same for the same seed, on every machine. */
import { hash } from 'node:crypto';

const DRAW_BYTES = 6;

/** Draw `n` of `seed`, in [0, 1): a pure function of both. */
export function draw(seed: string, n: number): number {
  return hash('sha256', `kyclone fault\0${seed}\0${n}`, 'buffer').readUIntBE(0, DRAW_BYTES) / 2 ** 48;
}
