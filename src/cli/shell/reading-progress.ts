/** How far the daemon is in reading what a search looks for: a line on stderr for people. */
import { canRedraw } from './environment.ts';

export interface ReadingProgress {
  readonly update: (reading: { readonly done: number; readonly of: number }) => void;
  /** Takes the line away; more than once is harmless. */
  readonly end: () => void;
}

const LINE_START = '\r\u001B[K';

export function readingProgress(isWanted: boolean): ReadingProgress {
  const redraws = canRedraw(process.stderr);
  let isShown = false;
  return {
    update({ done, of }) {
      // Where nothing can be redrawn, one line says why it takes a while.
      if (!isWanted || (isShown && !redraws)) return;
      isShown = true;
      const text = `Reading what is searched: ${done} of ${of}`;
      process.stderr.write(redraws ? `${LINE_START}${text}` : `${text}\n`);
    },
    end() {
      if (isShown && redraws) process.stderr.write(LINE_START);
      isShown = false;
    },
  };
}
