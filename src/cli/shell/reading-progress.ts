/** The daemon's progress in reading the searched data: a line on stderr for people. */
import { canRedraw } from './environment.ts';

export interface ReadingProgress {
  readonly update: (reading: { readonly done: number; readonly of: number }) => void;
  /** Removes the line; may be called more than once. */
  readonly end: () => void;
}

const LINE_START = '\r\u001B[K';

export function readingProgress(isWanted: boolean): ReadingProgress {
  const redraws = canRedraw(process.stderr);
  let isShown = false;
  return {
    update({ done, of }) {
      // If nothing can be redrawn, one line explains the delay.
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
