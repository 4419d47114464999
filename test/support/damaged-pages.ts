/** Reads and damages the pages of a SQLite file. The store must be closed. */
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { openBinding } from '../../src/storage/binding.ts';

/** Makes a store exceed the 64 MiB that a start checks whole. */
export function makeLarge(path: string): void {
  const store = openBinding(path);
  store.pragma('foreign_keys = OFF');
  store.exec(`WITH RECURSIVE rows (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM rows WHERE n < 4200)
    INSERT INTO risk_signals SELECT hex(randomblob(4000)), n, 'none', n FROM rows`);
  store.close();
}

/** How the bytes of a page are changed. */
export type Damage = 'zeros' | 'noise' | 'flipped';

export interface PageOfFile {
  /** The number of the page. SQLite counts from 1. */
  readonly number: number;
  readonly content: Buffer;
}

/** Returns every page of the SQLite file at `path`. */
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

/** The first byte of a page with children: 2 in an index or a table without row ids, 5 in any other table. */
const INNER_PAGES = [2, 5];
const FILE_HEAD_BYTES = 100;

/**
 * Returns the pages of the trees whose rows in `sqlite_schema` match a condition, root first. Overflow pages are left
 * out.
 */
export function pagesOfTrees(path: string, condition: string): PageOfFile[] {
  const store = openBinding(path, { readonly: true });
  const roots = store
    .prepare<[], number>(`SELECT rootpage FROM sqlite_schema WHERE rootpage > 0 AND (${condition})`)
    .pluck()
    .all();
  store.close();
  const pages = readPages(path);
  const below = (number: number): PageOfFile[] => {
    const page = pages[number - 1];
    if (!page) throw new Error(`no page ${number}`);
    return [page, ...childrenOf(page).flatMap(below)];
  };
  return roots.flatMap(below);
}

/** Returns the numbers of the child pages (https://sqlite.org/fileformat2.html#b_tree_pages). */
function childrenOf({ number, content }: PageOfFile): number[] {
  const head = number === 1 ? FILE_HEAD_BYTES : 0;
  if (!INNER_PAGES.includes(content.readUInt8(head))) return [];
  const cells = Array.from({ length: content.readUInt16BE(head + 3) }, (_, cell) =>
    content.readUInt16BE(head + 12 + 2 * cell),
  );
  return [...cells, head + 8].map((at) => content.readUInt32BE(at));
}

/** Returns the numbers of the pages that contain this text. */
export function pagesWith(path: string, text: string): number[] {
  return readPages(path)
    .filter(({ content }) => content.includes(text))
    .map(({ number }) => number);
}

/**
 * Damages `length` bytes of a page, starting at byte `from`; by default the whole page. Noise is the same for the same
 * page number.
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

/** Reads the page size from the head of the file, where 1 stands for 65,536. */
function pageSizeOf(head: Buffer): number {
  const size = head.readUInt16BE(16);
  return size === 1 ? 65_536 : size;
}
