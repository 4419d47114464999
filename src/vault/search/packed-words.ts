/**
 * Words of many entities in one block of bytes: few allocations, scanned at the speed of memory, and overwritten with
 * zeros when they are removed. A record consists of its words, each between two blanks.
 */
const BLANK = 0x20;
const SAMPLE_BYTES = 64 * 1_024;
const FIRST_BYTES = 64 * 1_024;
/** Compacts the block once zeros of removed records are more than this fraction. */
const MOST_WASTE = 0.5;

/** How a word must match a word of the record: completely, at its beginning, or at its end. */
export type Fit = 'whole' | 'start' | 'end';

export type PackedWords = ReturnType<typeof createPackedWords>;

export function createPackedWords() {
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

  /** The record that contains this byte: the last that begins at or before it. `from` is one that begins before. */
  function recordAt(place: number, from: number): number {
    let low = from;
    let step = 1;
    while ((starts[low + step] ?? Infinity) <= place) {
      low += step;
      step *= 2;
    }
    let high = Math.min(low + step, starts.length) - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The place of a word in `area`, from a place on; -1 if there is none. */
  function placeOf(word: Buffer, fit: Fit, area: Buffer, from: number): number {
    for (let at = area.indexOf(word, from); at !== -1; at = area.indexOf(word, at + 1)) {
      const begins = fit === 'end' || area[at - 1] === BLANK;
      if (begins && (fit === 'start' || area[at + word.length] === BLANK)) return at;
    }
    return -1;
  }

  /** How often each word stands in a part of the block: the rarest is looked for first. */
  function sampled(word: Buffer, fit: Fit): number {
    const sample = bytes.subarray(0, Math.min(end, SAMPLE_BYTES));
    let count = 0;
    for (let at = placeOf(word, fit, sample, 0); at !== -1; at = placeOf(word, fit, sample, at + 1))
      count += 1;
    return count;
  }

  return {
    /** The number of entities that have words. */
    get size(): number {
      return recordOf.size;
    },

    /** Replaces the words of an entity; an empty list removes it. */
    set(entity: number, words: readonly string[]): void {
      takeOut(entity);
      if (words.length > 0) {
        const record = Buffer.from(words.map((word) => ` ${word} `).join(''), 'utf8');
        append(entity, record);
        record.fill(0);
      }
      if (wasted > FIRST_BYTES && wasted > end * MOST_WASTE) compact();
    },

    /** The row ids of the entities that have all of these words, in no particular order. */
    find(words: readonly string[], fit: Fit): number[] {
      // Without the blanks around it: to find a blank first, which is everywhere, takes a hundred times as long.
      const needles = words.flatMap((word) => (word === '' ? [] : [Buffer.from(word, 'utf8')]));
      const counted = needles.map((word) => ({ word, count: words.length > 1 ? sampled(word, fit) : 0 }));
      const [first, ...others] = counted
        .toSorted((one, other) => one.count - other.count || other.word.length - one.word.length)
        .map(({ word }) => word);
      const found: number[] = [];
      if (first === undefined) return found;
      const known = bytes.subarray(0, end);
      let record = 0;
      for (let at = placeOf(first, fit, known, 0); at !== -1;) {
        record = recordAt(at, record);
        const until = endOf(record);
        const entity = entities[record] ?? 0;
        if (entity !== 0 && (others.length === 0 || hasAll(others, known.subarray(starts[record], until))))
          found.push(entity);
        at = placeOf(first, fit, known, until);
      }
      return found;

      function hasAll(wanted: readonly Buffer[], own: Buffer): boolean {
        return wanted.every((word) => placeOf(word, fit, own, 0) !== -1);
      }
    },

    /** Overwrites everything. */
    clear(): void {
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
