/** How an action on many went, in lines of a window: a reason is read whole. Pure. */
import { printable, wrapped } from '../../kernel/text/terminal-text.ts';
import type { Result, Size } from './model.ts';

export interface ResultLine {
  readonly text: string;
  readonly isDone: boolean;
}

const DONE = '  done    ';
const FAILED = '  FAILED  ';

export function resultLines(results: readonly Result[], { columns }: Size): readonly ResultLine[] {
  return results.flatMap(({ isDone, text }) =>
    wrapped(printable(text), columns - DONE.length).map((line, at) => ({
      text: `${at > 0 ? ' '.repeat(DONE.length) : isDone ? DONE : FAILED}${line}`,
      isDone,
    })),
  );
}
