/** Edits one line. Positions count code points, so that no character is cut in two. */
import type { TextLine } from './model.ts';

export const EMPTY_LINE: TextLine = { text: '', cursor: 0 };

export function lineOf(text: string): TextLine {
  return { text, cursor: Array.from(text).length };
}

/** A text from before: a character replaces it, other keys edit it. */
export function selectedLineOf(text: string): TextLine {
  return text === '' ? EMPTY_LINE : { ...lineOf(text), isSelected: true };
}

/** The line after a key; undefined for a key that doesn't edit. */
export function typed(line: TextLine, key: string): TextLine | undefined {
  const characters = Array.from(line.text);
  const { cursor } = line;
  const at = (position: number): TextLine => ({
    text: line.text,
    cursor: Math.min(Math.max(0, position), characters.length),
  });
  switch (key) {
    case 'left':
      return at(cursor - 1);
    case 'right':
      return at(cursor + 1);
    case 'home':
    case 'ctrl-a':
      return at(0);
    case 'end':
    case 'ctrl-e':
      return at(characters.length);
    case 'backspace':
      return cursor === 0
        ? at(0)
        : { text: characters.toSpliced(cursor - 1, 1).join(''), cursor: cursor - 1 };
    case 'delete':
      return { text: characters.toSpliced(cursor, 1).join(''), cursor };
    case 'ctrl-u':
      return { text: characters.slice(cursor).join(''), cursor: 0 };
    case 'ctrl-k':
      return { text: characters.slice(0, cursor).join(''), cursor };
    case 'ctrl-w': {
      const wordEnd = characters.slice(0, cursor).findLastIndex((character) => /\S/u.test(character));
      const wordStart = characters.slice(0, wordEnd + 1).findLastIndex((character) => /\s/u.test(character));
      return {
        text: characters.toSpliced(wordStart + 1, cursor - wordStart - 1).join(''),
        cursor: wordStart + 1,
      };
    }
    case 'space':
      return inserted(' ');
    default:
      // A key without a name is the character itself.
      return Array.from(key).length === 1 ? inserted(key) : undefined;
  }

  function inserted(character: string): TextLine {
    if (line.isSelected === true) return lineOf(character);
    return { text: characters.toSpliced(cursor, 0, character).join(''), cursor: cursor + 1 };
  }
}
