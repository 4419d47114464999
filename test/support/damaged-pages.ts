/** Pages of a SQLite file, and damage to them: for stores that are closed. */
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';

/** What happens to the bytes of a page from `from` on. */
export type Damage = 'zeros' | 'noise' | 'flipped';

export interface PageOfFile {
  /** From 1, as SQLite counts them. */
  readonly number: number;
  readonly content: Buffer;
}

/** Every page of the SQLite file at `path`. */
export function readPages(path: string): PageOfFile[] {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(fstatSync(file).size);
    readSync(file, bytes, 0, bytes.length, 0);
    const size = pageSizeOf(bytes);
    return Array.from({ length: Math.floor(bytes.length / size) }, (_, index) => ({
      number: index + 1,
      content: bytes.subarray(index * size, (index + 1) * size),
    }));
  } finally {
    closeSync(file);
  }
}

/** The numbers of the pages that hold this text. */
export function pagesWith(path: string, text: string): number[] {
  return readPages(path)
    .filter(({ content }) => content.includes(text))
    .map(({ number }) => number);
}

/**
 * Damages `length` bytes of a page, from byte `from` on; the whole page by default. Noise is the same for
 * the same page number.
 */
export function damagePage(
  path: string,
  number: number,
  damage: Damage,
  { from = 0, length }: { from?: number; length?: number } = {},
): void {
  const file = openSync(path, 'r+');
  try {
    const head = Buffer.alloc(100);
    readSync(file, head, 0, head.length, 0);
    const size = pageSizeOf(head);
    const bytes = Buffer.alloc(length ?? size - from);
    const position = (number - 1) * size + from;
    readSync(file, bytes, 0, bytes.length, position);
    change(bytes, damage, number);
    writeSync(file, bytes, 0, bytes.length, position);
  } finally {
    closeSync(file);
  }
}

function change(bytes: Buffer, damage: Damage, seed: number): void {
  let state = seed;
  for (let index = 0; index < bytes.length; index++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    if (damage === 'zeros') bytes[index] = 0;
    else if (damage === 'noise') bytes[index] = state >>> 24;
    else bytes[index] = (bytes[index] ?? 0) ^ 0xff;
  }
}

/** The size of pages is in the head of the file; 1 stands for 65,536. */
function pageSizeOf(head: Buffer): number {
  const size = head.readUInt16BE(16);
  return size === 1 ? 65_536 : size;
}
