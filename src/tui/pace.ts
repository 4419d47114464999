import { SECOND_MS } from '../kernel/units.ts';

/** What happens by itself is drawn at most twelve times a second. */
export const FRAME_MS = Math.ceil(SECOND_MS / 12);

/**
 * What other clients do is reported at most every two and a half seconds, the first of it at once: a list that moves faster
 * can't be read, and each move sends all of its rows to the terminal.
 */
export const REPORT_MS = 2.5 * SECOND_MS;
