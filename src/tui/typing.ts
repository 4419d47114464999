/** Handles keys as they arrive: one by one, typed ahead on a slow line, or pasted. */
import type { Runtime } from './runtime.ts';
import type { Overlay } from './state/model.ts';
import { commandOf } from './state/key-map.ts';
import { currentView, lineOfOverlay } from './state/reading.ts';

/** More keys than this at once are pasted text, not typing ahead on a slow line. */
const MOST_TYPED_AHEAD = 16;

/**
 * Presses keys that arrived at once. Several keys together never confirm a question. Keys of a pasted text don't fill
 * a form that the text itself opened. In a form that was open before, the lines of the text are joined into one.
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
    if (meant === undefined) continue;
    const isNextCase = commandOf(meant) === 'next_case' && getState().overlay === undefined;
    const former = isNextCase ? currentView(getState()).id : undefined;
    dispatch({ type: 'key', key: meant, now: now() });
    // Without a next case, the keys after it are about none.
    if (isNextCase && currentView(getState()).id === former) return;
  }
}

/** Undefined if the key has no effect. */
function meantBy(
  key: string,
  before: Overlay['kind'] | undefined,
  now: Overlay['kind'] | undefined,
  { isLast, count }: { readonly isLast: boolean; readonly count: number },
): string | undefined {
  // A credential can't be shown again, so only a single key closes it.
  if (now === 'secret') return key === 'ctrl-c' ? key : undefined;
  if (key === 'ctrl-c' || key === 'escape') return key;
  if (now === 'confirm') return undefined;
  if (count <= MOST_TYPED_AHEAD) return key;
  // What is typed ahead on a slow line clears the text that a filter had, whether its `/` came along or before.
  if (key === 'ctrl-u' && (now === 'filter' || now === 'palette')) return key;
  if (key.startsWith('ctrl-')) return undefined;
  // Otherwise everything after the first line would act as keys of the list.
  if (before === 'filter' || before === 'palette' || before === 'operator')
    return (key === 'enter' || key === 'tab') && !isLast ? 'space' : key;
  if (now !== 'form') return key;
  if (before !== 'form') return undefined;
  return (key === 'enter' || key === 'tab') && !isLast ? 'space' : key;
}

/**
 * Inserts a text that the terminal has marked as pasted: as one line into the current input, without any other
 * effect. If there is no input, the text becomes the filter of the list.
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
    // A window that is too small accepts no input.
    if (lineOfOverlay(getState().overlay) === undefined) return;
    press(character === ' ' ? 'space' : character);
  }
}
