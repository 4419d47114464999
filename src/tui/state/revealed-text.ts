/** The lines of a revealed value, how many fit, and scrolling through them. Pure. */
import { printable, wrapped } from '../../kernel/text/terminal-text.ts';
import { SECOND_MS } from '../../kernel/numbers/units.ts';
import { type Command, isMove, STEPS } from './key-map.ts';
import type { Revealed, Size } from './model.ts';

/** The lines that are seen in a room for so many; the window may have grown since it was scrolled. */
export function seenPart<Line>(
  all: readonly Line[],
  top: number,
  room: number,
): { readonly lines: readonly Line[]; readonly from: number } {
  const from = Math.max(0, Math.min(top, all.length - room));
  return { lines: all.slice(from, from + room), from };
}

/** For how many seconds more something is shown, by a clock that only goes forward. */
export function secondsLeft({ hidesAt }: Pick<Revealed, 'hidesAt'>, now: number): number {
  return Math.max(0, Math.ceil((hidesAt - now) / SECOND_MS));
}

const TITLE_LINES = 1;
/** Including the title: a short value always has the same room, a long one up to about half of the window. */
const LEAST_LINES = 5;
const OTHER_LINES = 2;

/** A long value is wrapped once for each width, not at each key. The cache lives as long as the value. */
const kept = new WeakMap<
  readonly string[],
  { readonly columns: number; readonly lines: readonly string[] }
>();

function revealedLines({ values }: Revealed, { columns }: Size): readonly string[] {
  const before = kept.get(values);
  if (before?.columns === columns) return before.lines;
  const lines = values.flatMap((value) => wrapped(printable(value), columns - 4));
  kept.set(values, { columns, lines });
  return lines;
}

export function revealedHeight(revealed: Revealed, size: Size): number {
  const most = Math.max(LEAST_LINES, Math.floor(size.rows / 2) - OTHER_LINES);
  return Math.min(most, Math.max(LEAST_LINES, TITLE_LINES + revealedLines(revealed, size).length));
}

/** The visible lines, and the total. The window may have changed since the last scroll. */
export function revealedPart(
  revealed: Revealed,
  size: Size,
): { readonly lines: readonly string[]; readonly from: number; readonly count: number } {
  const all = revealedLines(revealed, size);
  const room = revealedHeight(revealed, size) - TITLE_LINES;
  return { ...seenPart(all, revealed.top, room), count: all.length };
}

/**
 * Scrolls a value that is longer than its room, with the keys that move by a screen. Undefined for any other key, and
 * for a short value.
 */
export function scrolledRevealed(revealed: Revealed, size: Size, command: Command): Revealed | undefined {
  const { lines, from, count } = revealedPart(revealed, size);
  if (count === lines.length) return undefined;
  const room = lines.length;
  if (!isMove(command) || !/^(?:page|half)_/.test(command)) return undefined;
  return { ...revealed, top: Math.max(0, Math.min(from + STEPS[command](room), count - room)) };
}
