/**
 * Writes frames to the terminal as their differences. Ink rewrites the whole window for each frame; over a slow line
 * that is most of what the inspector costs. Here unchanged lines are left alone, and rows that only move are moved by
 * the terminal itself.
 */
import { SECOND_MS } from '../kernel/units.ts';

/** Another program may have written over the window. A whole frame restores it, at the latest after this time. */
const WHOLE_AGAIN_MS = 30 * SECOND_MS;

/** What ink writes to erase its previous frame. */
const ERASURE = /^(?:\u001b\[2K(?:\u001b\[1A)?)+\u001b\[G/;

export interface FrameWriter {
  /** The text to write instead of `text`, which ink writes. Frames begin in the upper left corner of the terminal. */
  shorten(text: string): string;
}

/** `now`: milliseconds of a clock that only goes forward. */
export function createFrameWriter(now: () => number): FrameWriter {
  /** The lines on the terminal; undefined when it is unknown what it shows. */
  let shown: readonly string[] | undefined;
  let wholeAt = 0;
  return {
    shorten(text) {
      const frame = text.replace(ERASURE, '');
      if (!frame.endsWith('\n')) {
        // Erased without a new frame.
        if (frame !== text) shown = undefined;
        return text;
      }
      const lines = frame.slice(0, -1).split('\n');
      const before = shown;
      shown = lines;
      if (before?.length === lines.length && now() - wholeAt < WHOLE_AGAIN_MS)
        return difference(before, lines);
      wholeAt = now();
      return text;
    },
  };
}

/** Ends where ink expects the cursor: at the beginning of the line after the frame. */
function difference(before: readonly string[], lines: readonly string[]): string {
  const inPlace = rewritten(before, lines);
  const move = likeliestMove(before, lines);
  const moved = move && movedBy(move, before, lines);
  return (moved !== undefined && moved.length < inPlace.length ? moved : inPlace) + toLine(lines.length);
}

/** Writes the lines that differ. The cursor doesn't pass the last column, so a line is erased before it is written. */
function rewritten(before: readonly string[], lines: readonly string[]): string {
  return lines.map((line, at) => (line === before[at] ? '' : `${toLine(at)}\u001b[2K${line}`)).join('');
}

interface Move {
  /** The moved lines in the new frame. */
  readonly from: number;
  readonly to: number;
  /** How far down they have moved; negative: up. */
  readonly by: number;
}

/** The move that brings most lines to their new place. */
function likeliestMove(before: readonly string[], lines: readonly string[]): Move | undefined {
  const places = new Map(before.map((line, at) => [line, at]));
  const moves = new Map<number, { move: Move; count: number }>();
  for (const [at, line] of lines.entries()) {
    const by = at - (places.get(line) ?? at);
    if (by === 0 || line === '') continue;
    const same = moves.get(by);
    moves.set(by, {
      move: { from: same?.move.from ?? at, to: at, by },
      count: (same?.count ?? 0) + 1,
    });
  }
  return [...moves.values()].toSorted((one, other) => other.count - one.count)[0]?.move;
}

/** Has the terminal move lines, and then writes those that differ. Lines outside of the move keep their place. */
function movedBy({ from, to, by }: Move, before: readonly string[], lines: readonly string[]): string {
  const count = Math.abs(by);
  // Deleting pulls up what is below, and inserting pushes it down again.
  const [deletedAt, insertedAt] = by > 0 ? [to - count + 1, from - count] : [from, to + 1];
  const after = before
    .toSpliced(deletedAt, count)
    .toSpliced(insertedAt, 0, ...Array.from({ length: count }, () => ''));
  const move = `${toLine(deletedAt)}\u001b[${count}M${toLine(insertedAt)}\u001b[${count}L`;
  return move + rewritten(after, lines);
}

const toLine = (at: number) => `\u001b[${at + 1}H`;
