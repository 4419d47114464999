/** Keys as they come: one by one, typed ahead on a slow line, or pasted. */
import type { Runtime } from './runtime.ts';
import type { Overlay } from './state/model.ts';
import { lineOfOverlay } from './state/reading.ts';

/** More keys than these at once are no typing ahead on a slow line, but a text that was pasted. */
const MOST_TYPED_AHEAD = 16;

/**
 * Presses what came at once. Several keys agree to nothing; those of a pasted text answer no form that it has opened
 * itself, and in one that was open its lines become one.
 */
export function pressAll(
  { getState, dispatch }: Pick<Runtime, 'getState' | 'dispatch'>,
  keys: readonly string[],
  now: () => number,
): void {
  const before = getState().overlay?.kind;
  for (const [at, key] of keys.entries()) {
    const place = { isLast: at === keys.length - 1, count: keys.length };
    const meant = keys.length === 1 ? key : meantBy(key, before, getState().overlay?.kind, place);
    if (meant !== undefined) dispatch({ type: 'key', key: meant, now: now() });
  }
}

/** Undefined where it does nothing. */
function meantBy(
  key: string,
  before: Overlay['kind'] | undefined,
  now: Overlay['kind'] | undefined,
  { isLast, count }: { readonly isLast: boolean; readonly count: number },
): string | undefined {
  // A credential is closed by a key of its own: it can't be had again.
  if (now === 'secret') return key === 'ctrl-c' ? key : undefined;
  if (key === 'ctrl-c' || key === 'escape') return key;
  if (now === 'confirm') return undefined;
  if (count <= MOST_TYPED_AHEAD) return key;
  if (key.startsWith('ctrl-')) return undefined;
  // Else all after the first line would be keys of the list.
  if (before === 'filter' || before === 'palette')
    return (key === 'enter' || key === 'tab') && !isLast ? 'space' : key;
  if (now !== 'form') return key;
  if (before !== 'form') return undefined;
  return (key === 'enter' || key === 'tab') && !isLast ? 'space' : key;
}

/**
 * A text that the terminal has marked as pasted: it stands in the line that is typed into, as one line, and does nothing
 * by itself. Where nothing is typed, the list is filtered by it.
 */
export function paste(
  { getState, dispatch }: Pick<Runtime, 'getState' | 'dispatch'>,
  text: string,
  now: () => number,
): void {
  const press = (key: string) => dispatch({ type: 'key', key, now: now() });
  const line = text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  if (line === '') return;
  if (getState().overlay === undefined) {
    press('/');
    press('ctrl-u');
  }
  for (const character of Array.from(line)) {
    // A window that is too small hears nothing.
    if (lineOfOverlay(getState().overlay) === undefined) return;
    press(character === ' ' ? 'space' : character);
  }
}
