import { SECOND_MS } from '../kernel/units.ts';

/** Updates without user input are drawn at most twelve times a second. */
export const FRAME_MS = Math.ceil(SECOND_MS / 12);

/**
 * Changes by other clients are reported at most every two and a half seconds, the first at once. A list that moves
 * faster is unreadable, and each move sends all of its rows to the terminal.
 */
export const REPORT_MS = 2.5 * SECOND_MS;
