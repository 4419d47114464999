/** How far something is: a line on stderr for people. */
import { canRedraw } from './environment.ts';

const LINE_START = '\r\u001B[K';

/** If nothing can be redrawn, the first text stays alone. */
export function statusLine() {
  const redraws = canRedraw(process.stderr);
  let isShown = false;
  return {
    show: (text: string): void => {
      if (isShown && !redraws) return;
      isShown = true;
      process.stderr.write(redraws ? `${LINE_START}${text}` : `${text}\n`);
    },
    /** Removes the line; may be called more than once. */
    end: (): void => {
      if (isShown && redraws) process.stderr.write(LINE_START);
      isShown = false;
    },
  };
}

/** The daemon's progress in reading the searched data. */
export function readingProgress(isWanted: boolean) {
  const { show, end } = statusLine();
  return {
    update: ({ done, of }: { readonly done: number; readonly of: number }) => {
      if (isWanted) show(`Reading what is searched: ${done} of ${of}`);
    },
    end,
  };
}
