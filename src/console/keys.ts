/** The keys of the inspector (tui/state/key-map.ts), as a browser reports them. */
import { commandOf, KEY_MAP, type Command } from '../tui/state/key-map.ts';

const NAMES: Readonly<Record<string, string>> = {
  ' ': 'space',
  Enter: 'enter',
  Escape: 'escape',
  ArrowDown: 'down',
  ArrowUp: 'up',
  PageDown: 'pagedown',
  PageUp: 'pageup',
  Home: 'home',
  End: 'end',
};

/** The name of a key in the key map. */
export function nameOfKey(key: string): string {
  return NAMES[key] ?? key;
}

/** A browser has its own ways to leave. `tab`, and the arrows to the sides, move and scroll in a page. */
const OF_TERMINALS: ReadonlySet<Command> = new Set(['suspend', 'quit', 'interrupt']);

/** Elements that have keys of their own. */
const TYPED_INTO = 'input, textarea, select, [contenteditable], dialog';
const PRESSED = 'button, a, summary, [role=tab], [role=menuitem], [role=treeitem], [role=tree]';

/** The key of the inspector that a press means; undefined for one that the browser keeps. */
export function keyOf(event: KeyboardEvent): string | undefined {
  if (event.altKey || event.ctrlKey || event.metaKey) return undefined;
  const key = nameOfKey(event.key);
  const command = commandOf(key);
  if (command === undefined || OF_TERMINALS.has(command)) return undefined;
  const { target } = event;
  if (!(target instanceof Element)) return key;
  if (target.closest(TYPED_INTO) !== null) return undefined;
  const isPress = event.key === 'Enter' || event.key === ' ' || event.key.startsWith('Arrow');
  return isPress && target.closest(PRESSED) !== null ? undefined : key;
}

/** ctrl-K, and cmd-K on a Mac. */
export function isPaletteChord(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k';
}

/** The lines of the help: the inspector's, without what only a terminal has. */
export function pageKeys(isReadonly: boolean): readonly { group: string; keys: string; says: string }[] {
  const own = [{ group: 'Find', keys: 'ctrl-k', says: 'go to a screen, start an action, or find a person' }];
  const shared = KEY_MAP.filter(
    ({ command, changes }) => !OF_TERMINALS.has(command) && (!isReadonly || !changes),
  ).flatMap(({ group, keys, says }) => {
    const here = keys.filter((key) => !key.startsWith('ctrl-') && !OF_PAGE.has(key));
    return here.length === 0 ? [] : [{ group, keys: here.join(' '), says }];
  });
  return [...shared, ...own].toSorted((a, b) => GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group));
}

const OF_PAGE: ReadonlySet<string> = new Set(['left', 'right', 'tab', 'shift-tab']);
const GROUPS: readonly string[] = ['Move', 'Find', 'Copy', 'Act'];
