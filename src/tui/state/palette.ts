/** What `:` finds: screens, and whatever a key does. */
import { screens } from '../screens/registry.ts';
import { KEY_MAP, type Command } from './key-map.ts';
import type { Place } from './model.ts';

export type PaletteEntry =
  | { readonly name: string; readonly says: string; readonly place: Place }
  | { readonly name: string; readonly says: string; readonly command: Command };

const OF_SCREENS: readonly PaletteEntry[] = Object.values(screens).flatMap((screen) =>
  screen.paletteName === undefined
    ? []
    : [{ name: screen.paletteName, says: screen.title({}), place: { screen: screen.name, params: {} } }],
);
/** Moving is of no use by name. */
const OF_KEYS = KEY_MAP.filter(
  ({ group, command }) => group !== 'Move' && command !== 'palette' && command !== 'interrupt',
);

/** Entries whose name has the letters typed, in their order; those that begin with them first. */
export function matches(text: string, isReadonly: boolean): readonly PaletteEntry[] {
  const entries: PaletteEntry[] = [
    ...OF_SCREENS,
    ...OF_KEYS.filter(({ changes }) => !isReadonly || changes !== true).map(({ command, says, keys }) => ({
      name: command.replaceAll('_', ' '),
      says: `${says} (${keys[0] ?? ''})`,
      command,
    })),
  ];
  const wanted = text.trim().toLowerCase();
  const rank = (name: string) =>
    name.startsWith(wanted) ? 0 : name.includes(wanted) ? 1 : isScattered(wanted, name) ? 2 : 3;
  return entries
    .map((entry) => ({ entry, rank: rank(entry.name) }))
    .filter((each) => each.rank < 3)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ entry }) => entry);
}

function isScattered(wanted: string, name: string): boolean {
  let at = 0;
  for (const letter of wanted) {
    at = name.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
