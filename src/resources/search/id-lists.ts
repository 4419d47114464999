/** Lists of row ids, ascending and without repeats. A search can match everyone, so each step takes linear time. */
export type IdList = Float64Array;

export function idList(ids: readonly number[]): IdList {
  return withoutRepeats(Float64Array.from(ids).sort());
}

/** The ids that are in at least one list. */
export function inAny(lists: readonly IdList[]): IdList {
  const filled = lists.filter(({ length }) => length > 0);
  if (filled.length <= 1) return filled[0] ?? new Float64Array();
  const all = new Float64Array(filled.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const list of filled) {
    all.set(list, end);
    end += list.length;
  }
  return withoutRepeats(all.sort());
}

/** The ids that are in every list. */
export function inAll(lists: readonly IdList[]): IdList {
  const [first = new Float64Array(), ...others] = lists.toSorted((one, other) => one.length - other.length);
  return others.reduce((kept, list) => kept.filter((id) => has(list, id)), first);
}

export function has(list: IdList, id: number): boolean {
  return list[firstFrom(list, id)] === id;
}

/** Up to `most` ids below `before`, greatest first. */
export function greatestBelow(list: IdList, before: number, most: number): number[] {
  const end = firstFrom(list, before);
  return [...list.subarray(Math.max(0, end - most), end)].reverse();
}

/** The place of the first id that is not less. */
function firstFrom(list: IdList, id: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? Infinity) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

function withoutRepeats(sorted: Float64Array): IdList {
  let end = 0;
  for (let at = 0; at < sorted.length; at += 1) {
    const id = sorted[at] ?? 0;
    if (end === 0 || sorted[end - 1] !== id) sorted[end++] = id;
  }
  return sorted.subarray(0, end);
}
