/** The lines of the help (`?`), generated from the key map. */
import { KEY_MAP, type Binding } from './key-map.ts';

export type HelpLine = { readonly heading: string } | { readonly keys: string; readonly says: string };

export function helpLines(isReadonly: boolean): readonly HelpLine[] {
  const shown = KEY_MAP.filter(({ changes }) => !isReadonly || !changes);
  const groups = [...new Set(shown.map(({ group }) => group))];
  return groups.flatMap((group): HelpLine[] => [
    { heading: group },
    ...shown.filter((binding) => binding.group === group).map(helpLine),
  ]);
}

export function lengthOfHelp(isReadonly: boolean): number {
  return helpLines(isReadonly).length;
}

function helpLine({ keys, says }: Binding): HelpLine {
  return { keys: keys.join(' '), says };
}
