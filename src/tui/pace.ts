import { SECOND_MS } from '../kernel/units.ts';

/** What happens by itself is reported and drawn at most twelve times a second. */
export const FRAME_MS = Math.ceil(SECOND_MS / 12);
