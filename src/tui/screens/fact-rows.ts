/** What is known about one thing: a fact a row, its name before it. */
import { wrapped } from '../../kernel/terminal-text.ts';
import type { Column, ScreenPlace, Row, Tone } from '../state/model.ts';

export const FACT_COLUMNS: readonly Column[] = [{ heading: '' }, { heading: '', grows: true }];

/** Fits a window of 80 beside the longest names of facts; further lines have none. */
const TEXT_WIDTH = 56;

export interface Fact {
  readonly name: string;
  readonly text: string;
  readonly tone?: Tone | undefined;
  /** Text that is read, not copied: it goes on in the next row where it is longer than a line. */
  readonly isProse?: boolean;
  readonly opens?: ScreenPlace | undefined;
}

/** A fact; none without a text. */
export function fact(name: string, text: string | null | undefined, tone?: Tone): readonly Fact[] {
  return text === null || text === undefined || text === '' ? [] : [{ name, text, tone }];
}

/** `same`: what is copied of each row. */
export function factRows(
  facts: readonly Fact[],
  same: Pick<Row, 'id' | 'command' | 'call' | 'subject'> = {},
): readonly Row[] {
  return facts.flatMap(({ name, text, tone = 'plain', isProse = false, opens }, at) => {
    const lines = isProse ? wrapped(text, TEXT_WIDTH) : [text];
    return lines.map((line, number) => ({
      ...same,
      key: `${at} ${number} ${name}`,
      cells: [
        { text: number === 0 ? name : ' ', tone: 'dim' as const },
        { text: line, tone },
      ],
      ...(opens && { opens }),
    }));
  });
}
