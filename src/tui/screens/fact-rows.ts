/** The facts about one thing, one per row, with the name before the text. */
import { wrapped } from '../../kernel/text/terminal-text.ts';
import type { Column, ScreenPlace, Row, Tone } from '../state/model.ts';
import { defined } from '../../kernel/defined.ts';

export const FACT_COLUMNS: readonly Column[] = [{ heading: '' }, { heading: '', grows: true }];

/** Fits a window of 80 columns beside the longest fact names. */
const TEXT_WIDTH = 56;

export interface Fact {
  readonly name: string;
  readonly text: string;
  readonly tone?: Tone | undefined;
  /** Prose that is read, not copied: a long text continues in the next row. */
  readonly isProse?: boolean;
  readonly opens?: ScreenPlace | undefined;
}

/** A fact; an empty list without a text. */
export function fact(name: string, text: string | null | undefined, tone?: Tone): readonly Fact[] {
  return text === null || text === undefined || text === '' ? [] : [{ name, text, tone }];
}

/** `same`: what is copied from each row. */
export function factRows(
  facts: readonly Fact[],
  same: Pick<Row, 'id' | 'command' | 'call' | 'subject' | 'who'> = {},
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
      ...defined({ opens }),
    }));
  });
}
