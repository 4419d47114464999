/** The lines of a question in a window, and how many fit. Pure. */
import { printable, wrapped } from '../../kernel/terminal-text.ts';
import { overlayHeight } from './geometry.ts';
import type { Size } from './model.ts';

/** The title, and the line of keys. */
const OTHER_LINES = 2;

export function questionLines(lines: readonly string[], { columns }: Size): readonly string[] {
  return lines.flatMap((line) => wrapped(printable(line), columns - 4));
}

/** Room for all lines if they fit. Otherwise one less, for the line that shows the total. */
export function questionRoom(size: Size): number {
  return overlayHeight(size) - OTHER_LINES;
}
