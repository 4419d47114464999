/** Short names that distinguish all webhook endpoints in a narrow window. Pure. */
import { displayWidth } from '../../kernel/terminal-text.ts';

export interface Receiver {
  readonly id: string;
  readonly url: string;
}

/** Fits 80 columns beside a time, a status and a person. */
export const RECEIVER_WIDTH = 20;
const ID_CHARACTERS = 5;
/** How much of the beginning of a long URL is kept: what is cut is between it and the end. */
const BEGINNINGS = [6, 10, 14, 2, 18, 0];

/** The name of each receiver by its id: its URL without the scheme, cut where others don't differ. */
export function receiverNames(receivers: readonly Receiver[]): ReadonlyMap<string, string> {
  const texts = receivers.map(({ id, url }) => ({ id, text: url.replace(/^https?:\/\//, '') }));
  const tries = BEGINNINGS.map((head) => texts.map(({ text }) => cut(text, head)));
  const chosen = tries.find((names) => new Set(names).size === names.length) ?? tries[0] ?? [];
  return new Map(
    texts.map(({ id, text }, at) => {
      const name = chosen[at] ?? text;
      const isShared = chosen.filter((each) => each === name).length > 1;
      return [
        id,
        isShared ? `${cut(text, 0, RECEIVER_WIDTH - ID_CHARACTERS - 1)} ${id.slice(-ID_CHARACTERS)}` : name,
      ];
    }),
  );
}

function cut(text: string, head: number, width = RECEIVER_WIDTH): string {
  if (displayWidth(text) <= width) return text;
  const characters = Array.from(text);
  const tail = width - head - 1;
  return [...characters.slice(0, head), '…', ...characters.slice(-tail)].join('');
}
