/** Translates ink's key events into the names of key-map.ts. */
import type { Key } from 'ink';

/** One name for each key. A text that arrives at once becomes one key for each character. */
export function keysOf(input: string, key: Key): readonly string[] {
  const named = nameOf(key);
  // Such a chord is another key: alone, `left` leads back.
  const isChord = key.leftArrow || key.rightArrow || key.upArrow || key.downArrow;
  if (named !== undefined && isChord && (key.ctrl || key.meta)) return [`ctrl-${named}`];
  if (named !== undefined) return [named];
  if (key.ctrl) return [`ctrl-${input}`];
  const characters = Array.from(input.replaceAll('\r\n', '\n')).flatMap(characterKey);
  // For alt with a key, a terminal sends escape and the key, the same as when a user types both quickly. No binding
  // here uses alt.
  return key.meta ? ['escape', ...characters] : characters;
}

function nameOf(key: Key): string | undefined {
  if (key.upArrow) return 'up';
  if (key.downArrow) return 'down';
  if (key.leftArrow) return 'left';
  if (key.rightArrow) return 'right';
  if (key.pageUp) return 'pageup';
  if (key.pageDown) return 'pagedown';
  if (key.home) return 'home';
  if (key.end) return 'end';
  if (key.return) return 'enter';
  if (key.escape) return 'escape';
  if (key.tab) return key.shift ? 'shift-tab' : 'tab';
  // Most keyboards send a code for backspace that ink reports as delete.
  if (key.backspace || key.delete) return 'backspace';
  return undefined;
}

/** From a control character to its letter. */
const LETTERS = 0x60;

function characterKey(character: string): string[] {
  switch (character) {
    case '\n':
    case '\r':
      return ['enter'];
    case '\t':
      return ['tab'];
    case ' ':
      return ['space'];
    case '\u007f':
    case '\b':
      return ['backspace'];
    default:
      // Control and a letter, typed together with another key. Other control characters are not text.
      if (/^[\u0001-\u001a]$/.test(character))
        return [`ctrl-${String.fromCharCode(character.charCodeAt(0) + LETTERS)}`];
      return /^[\u0000-\u001f\u0080-\u009f]$/.test(character) ? [] : [character];
  }
}
