/** Translates ink's key events into the names of key-map.ts. */
import type { Key } from 'ink';

/** One name for each key; a text that came at once is a key for each character. */
export function keysOf(input: string, key: Key): readonly string[] {
  const named = nameOf(key);
  if (named !== undefined) return [named];
  if (key.ctrl) return [`ctrl-${input}`];
  const characters = Array.from(input.replaceAll('\r\n', '\n')).flatMap(characterKey);
  // A terminal sends alt with a key as escape before it, and so does who types both in one go. Nothing here needs alt.
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
  // Most keyboards send for backspace what ink reports as delete.
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
      // Control and a letter, typed right before or after another key; others are no text.
      if (/^[\u0001-\u001a]$/.test(character))
        return [`ctrl-${String.fromCharCode(character.charCodeAt(0) + LETTERS)}`];
      return /^[\u0000-\u001f\u0080-\u009f]$/.test(character) ? [] : [character];
  }
}
