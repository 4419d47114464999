/**
 * Work in slices. Before each slice the generator yields its steps (budget.ts), so that its runner can refuse it or let
 * other work go first. Before it keeps a part of a result that may be longer than its input, it yields the length.
 */
export type Slices<Result> = Generator<number | Made, Result, void>;

/** Characters of a result. */
export interface Made {
  readonly made: number;
}

/** Characters or bytes in a slice: the most expensive work on a character takes 64 steps. */
export const SLICE_UNITS = 16 * 1024;

/** Runs all slices without a pause. */
export function atOnce<Result>(slices: Slices<Result>): Result {
  for (;;) {
    const slice = slices.next();
    if (slice.done) return slice.value;
  }
}

/** A text in pieces of about a slice, without splitting a surrogate pair. */
export function* piecesOf(text: string, most = SLICE_UNITS): Generator<string, void, void> {
  for (let start = 0; start < text.length;) {
    const end = cutAt(text, start + most);
    yield text.slice(start, end);
    start = end;
  }
}

/** The first position at or after `at` that splits no surrogate pair. */
export function cutAt(text: string, at: number): number {
  if (at >= text.length) return text.length;
  return isPairAround(text, at) ? at + 1 : at;
}

function isPairAround(text: string, at: number): boolean {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

/** Bytes in pieces of a slice. */
export function* byteSlices(bytes: Uint8Array): Generator<Uint8Array, void, void> {
  for (let start = 0; start < bytes.length; start += SLICE_UNITS) {
    yield bytes.subarray(start, start + SLICE_UNITS);
  }
}
