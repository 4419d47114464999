/** The lines of a question in a window, and how many there is room for. Pure. */
import { printable, wrapped } from '../../kernel/terminal-text.ts';
import { overlayHeight } from './geometry.ts';
import type { Size } from './model.ts';

/** Its title, and how to answer. */
const OTHER_LINES = 2;

export function questionLines(lines: readonly string[], { columns }: Size): readonly string[] {
  return lines.flatMap((line) => wrapped(printable(line), columns - 4));
}

/** All of them where they fit; else one line less, which says how many there are. */
export function questionRoom(size: Size): number {
  return overlayHeight(size) - OTHER_LINES;
}
