/**
 * Words of many entities in one block of bytes: few allocations, scanned at the speed of memory, and overwritten with
 * zeros when they are removed. A record consists of its words, each between two blanks.
 */
const BLANK = ' ';
const FIRST_BYTES = 64 * 1_024;
/** Compacts the block once zeros of removed records are more than this fraction. */
const MOST_WASTE = 0.5;

/** How a word must match a word of the record: completely, at its beginning, or at its end. */
export type Fit = 'whole' | 'start' | 'end';

export interface PackedWords {
  /** Replaces the words of an entity; an empty list removes it. */
  set(entity: number, words: readonly string[]): void;
  /** The row ids of the entities that have all of these words, in no particular order. */
  find(words: readonly string[], fit: Fit): number[];
  /** The number of entities that have words. */
  readonly size: number;
  /** Overwrites everything. */
  clear(): void;
}

export function createPackedWords(): PackedWords {
  let bytes = Buffer.alloc(FIRST_BYTES);
  let end = 0;
  let wasted = 0;
  /** The start of each record ever appended, and its entity; 0 once it was removed. */
  let starts: number[] = [];
  let entities: number[] = [];
  let recordOf = new Map<number, number>();

  function endOf(record: number): number {
    return starts[record + 1] ?? end;
  }

  function takeOut(entity: number): void {
    const record = recordOf.get(entity);
    if (record === undefined) return;
    const from = starts[record] ?? 0;
    bytes.fill(0, from, endOf(record));
    wasted += endOf(record) - from;
    entities[record] = 0;
    recordOf.delete(entity);
  }

  function append(entity: number, record: Buffer): void {
    if (end + record.length > bytes.length) enlarge(record.length);
    recordOf.set(entity, starts.length);
    starts.push(end);
    entities.push(entity);
    record.copy(bytes, end);
    end += record.length;
  }

  function enlarge(by: number): void {
    const larger = Buffer.alloc(Math.max(bytes.length * 2, end + by));
    bytes.copy(larger, 0, 0, end);
    bytes.fill(0);
    bytes = larger;
  }

  function compact(): void {
    const before = { bytes, starts, entities, end };
    bytes = Buffer.alloc(before.bytes.length);
    starts = [];
    entities = [];
    recordOf = new Map();
    end = 0;
    wasted = 0;
    for (const [record, entity] of before.entities.entries()) {
      if (entity === 0) continue;
      const until = before.starts[record + 1] ?? before.end;
      append(entity, before.bytes.subarray(before.starts[record], until));
    }
    before.bytes.fill(0);
  }

  /** The record that contains this byte: the last that begins at or before it. */
  function recordAt(place: number): number {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  return {
    get size() {
      return recordOf.size;
    },

    set(entity, words) {
      takeOut(entity);
      if (words.length > 0) {
        const record = Buffer.from(words.map((word) => BLANK + word + BLANK).join(''), 'utf8');
        append(entity, record);
        record.fill(0);
      }
      if (wasted > FIRST_BYTES && wasted > end * MOST_WASTE) compact();
    },

    find(words, fit) {
      const needles = words.map((word) => Buffer.from(pattern(word, fit), 'utf8'));
      // The longest word is the rarest.
      const [first, ...others] = needles.toSorted((one, other) => other.length - one.length);
      const found: number[] = [];
      if (first === undefined) return found;
      const known = bytes.subarray(0, end);
      for (let at = known.indexOf(first); at !== -1;) {
        const record = recordAt(at);
        const until = endOf(record);
        const own = known.subarray(starts[record], until);
        const entity = entities[record] ?? 0;
        if (entity !== 0 && others.every((other) => own.includes(other))) found.push(entity);
        at = known.indexOf(first, until);
      }
      return found;
    },

    clear() {
      bytes.fill(0);
      bytes = Buffer.alloc(0);
      starts = [];
      entities = [];
      recordOf = new Map();
      end = 0;
      wasted = 0;
    },
  };
}

function pattern(word: string, fit: Fit): string {
  return (fit === 'end' ? '' : BLANK) + word + (fit === 'start' ? '' : BLANK);
}
