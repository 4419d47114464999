/** The entries of the palette (`:`): screens, and the commands of keys. */
import { placeOfId } from '../../nouns/entities/screen/place.ts';
import { screens } from '../screens/registry.ts';
import { firstKeyOf, KEY_MAP, type Command } from './key-map.ts';
import { actions } from '../actions/registry.ts';
import { ON_INSTANCE } from '../actions/things.ts';
import { actionsHere, isForMany } from './acting.ts';
import { currentView } from './reading.ts';
import type { ActionName, Overlay, ScreenPlace, ScreenName, State, Target, Way } from './model.ts';

interface Named {
  readonly name: string;
  readonly says: string;
  /** Other words that find it; without them those of its name. */
  readonly words?: readonly string[];
}

export type PaletteEntry =
  | (Named & {
      readonly place: ScreenPlace;
      /** The text to search for there; an empty one is asked for there. */
      readonly filter?: string;
      /** Which pane is shown, by its title; else the first. */
      readonly pane?: string;
    })
  | (Named & { readonly command: Command })
  | (Named & { readonly action: ActionName })
  | (Named & { readonly target: Target })
  | Way;

/** The screens that have a name of their own. */
export const OF_SCREENS = (Object.keys(screens) as ScreenName[]).flatMap((screen) => {
  const { palette } = screens[screen];
  if (palette === undefined) return [];
  return [{ ...palette, words: palette.words?.split(' ') ?? [], place: { screen, params: {} } }];
});
/** Panes that people look for by their own name. */
const OF_PANES: readonly PaletteEntry[] = [
  {
    name: 'fault rules',
    says: 'requests that fail, wait or break off on purpose',
    words: ['faults', 'errors', 'latency', 'inject'],
    place: { screen: 'clock', params: {} },
    pane: 'Faults',
  },
  {
    name: 'instance',
    says: 'version, address, storage and settings of this instance',
    words: ['daemon', 'settings', 'version', 'status', 'doctor'],
    place: { screen: 'clock', params: {} },
    pane: 'Instance',
  },
];
/** Moving by name is useless. */
const OF_KEYS = KEY_MAP.filter(
  ({ group, command }) => group !== 'Move' && command !== 'palette' && command !== 'interrupt',
);

/** Words that start a search, besides the names of screens. */
const FINDING: Readonly<Record<string, ScreenName>> = {
  find: 'found',
  search: 'found',
  user: 'users',
  business: 'businesses',
  event: 'events',
  audit: 'access',
};

/** Lists that take words, besides those that the daemon searches. */
const TAKES_WORDS: ReadonlySet<ScreenName> = new Set(['events', 'banks']);

/** `users doe`, `access log ada`: the screen, with its search. Other lists take no words. */
function withArgument(text: string): PaletteEntry | undefined {
  const typed = text.toLowerCase();
  const named = OF_SCREENS.find(({ name }) => typed.startsWith(`${name} `));
  const word = named?.name ?? /^\S+/.exec(typed)?.[0] ?? '';
  const filter = text.slice(word.length).trim();
  const entry =
    named ?? OF_SCREENS.find(({ name, place }) => name === word || place.screen === (FINDING[word] ?? word));
  if (entry === undefined || filter === '') return undefined;
  const { name, place } = entry;
  const isSearch = screens[place.screen].panes[0]?.filteredBy === 'daemon';
  if (!isSearch && !TAKES_WORDS.has(place.screen)) return undefined;
  return {
    name,
    says: isSearch ? 'search there for this text' : 'go there and filter by this text',
    place,
    filter,
  };
}

/** A search in users and businesses at once, as `/` does in each. */
function searchOf(filter: string): PaletteEntry {
  const says = 'find a person by name, phone, id, date of birth …';
  return { name: 'search', says, place: { screen: 'found', params: {} }, filter };
}

/** The first words of what the palette does: what follows one of them is never searched for. */
function isAfterCommand(text: string, targets: readonly PaletteEntry[]): boolean {
  const [first = '', ...others] = text.toLowerCase().split(/\s+/);
  const names = [
    'instance',
    ...OF_KEYS.map(({ command }) => command),
    ...OF_SCREENS.flatMap(({ place, words }) => [place.screen, ...words]),
    ...[...BY_NAME_ALONE, ...OF_SCREENS, ...OF_PANES, ...targets].map(({ name }) => name),
  ];
  return others.length > 0 && names.some((name) => name.split(/[ _]/)[0] === first);
}

/** Actions that no key starts. */
const BY_NAME_ALONE: readonly PaletteEntry[] = (Object.keys(actions) as ActionName[]).flatMap((action) =>
  action.includes('_') ? [actionEntry(action)] : [],
);

function actionEntry(action: ActionName): PaletteEntry {
  const { label, needs } = actions[action];
  const about = needs.replace(/^Select | first$/g, '');
  return {
    name: inLowerCase(label),
    says:
      about === 'an instance'
        ? 'for this instance'
        : `for ${about}${isForMany(actions[action]) ? ', or all marked rows' : ''}`,
    action,
  };
}

/** The other environment, the other instances of this user, and what is no screen. */
function targetEntries({ setup }: State): readonly PaletteEntry[] {
  const { environment, instances = [], instance, ways = [] } = setup;
  const other = environment === 'live' ? 'sandbox' : 'live';
  return [
    ...ways,
    {
      name: `${other} environment`,
      says: `go to the ${other} environment of ${instance}`,
      target: { environment: other },
    },
    ...instances
      .filter((name) => name !== instance)
      .map((name) => ({
        name: `instance ${name}`,
        says: `go to the sandbox of instance ${name}`,
        target: { instance: name, environment: 'sandbox' as const },
      })),
  ];
}

/** The entries that match the typed text. */
export function found(
  state: State,
  { line, isHere }: Pick<Extract<Overlay, { kind: 'palette' }>, 'line' | 'isHere'>,
): readonly PaletteEntry[] {
  const { isReadonly } = state.setup;
  if (isHere === true) return ranked(line.text.trim(), actionsHere(state).map(entryHere));
  const everything = matches(line.text, isReadonly, targetEntries(state));
  const all = state.setup.isPage === true ? everything.filter((entry) => !isOfTerminal(entry)) : everything;
  const wanted = line.text.trim().toLowerCase();
  const [first] = all;
  if (first === undefined || wanted.length < FEWEST_LETTERS) return all;
  const pane = first.name === wanted && !isInapplicable(state, first) ? undefined : paneHere(state, wanted);
  if (pane !== undefined) return [pane, ...all];
  const screen = all.find(
    (entry) => 'place' in entry && entry.filter === undefined && entry.name.startsWith(wanted),
  );
  return screen !== undefined && isInapplicable(state, first)
    ? [screen, ...all.filter((entry) => entry !== screen)]
    : all;
}

/** What leaves a terminal. */
function isOfTerminal(entry: PaletteEntry): boolean {
  return 'command' in entry && (entry.command === 'suspend' || entry.command === 'quit');
}

const FEWEST_LETTERS = 3;

/** Whether an action applies to nothing that is selected or shown. */
function isInapplicable(state: State, entry: PaletteEntry): boolean {
  const name = 'action' in entry ? entry.action : 'command' in entry ? entry.command : '';
  return Object.hasOwn(actions, name) && !actionsHere(state).some((action) => action === name);
}

/** A pane of the screen that is shown: `signals` on a case. */
function paneHere(state: State, wanted: string): PaletteEntry | undefined {
  const { place } = currentView(state);
  const { panes } = screens[place.screen];
  const title = panes.find((pane) => pane.title.toLowerCase().startsWith(wanted))?.title;
  if (panes.length < 2 || title === undefined) return undefined;
  return { name: title.toLowerCase(), says: 'of what is shown', place, pane: title };
}

/** Its first letter alone: `create an API key`. */
function inLowerCase(label: string): string {
  return label.slice(0, 1).toLowerCase() + label.slice(1);
}

function entryHere(action: ActionName): PaletteEntry {
  const key = firstKeyOf(action);
  const { label } = actions[action];
  const isOfInstance = actions[action].needs === ON_INSTANCE.needs;
  const many = isOfInstance
    ? 'for this instance'
    : isForMany(actions[action])
      ? 'for this row or all marked rows'
      : 'for this row only';
  return { name: inLowerCase(label), says: key === undefined ? many : `${many} (${key})`, action };
}

/**
 * An id finds its one thing, and the name of a screen with a filter finds the screen. Other text finds entries with
 * these letters in their name, in this order: names that begin with the text, names that contain it, entries with a
 * matching synonym, the search for the text, and names that contain the letters apart.
 */
export function matches(
  text: string,
  isReadonly: boolean,
  targets: readonly PaletteEntry[] = [],
): readonly PaletteEntry[] {
  const entries: PaletteEntry[] = [
    ...OF_SCREENS,
    ...OF_PANES,
    ...OF_KEYS.filter(({ changes }) => !isReadonly || !changes).map(({ command, says, words, keys }) => ({
      name: command.replaceAll('_', ' '),
      says: `${says} (${keys[0] ?? ''})`,
      words,
      command,
    })),
    ...(isReadonly ? [] : BY_NAME_ALONE),
    ...targets,
  ];
  const id = text.trim();
  const place = placeOfId(id);
  if (place !== undefined) return [{ name: id, says: 'open it', place }];
  if (FINDING[id.toLowerCase()] === 'found') return [searchOf(''), ...ranked(id, entries)];
  const isNamed = entries.some(({ name }) => name.startsWith(id.toLowerCase()));
  const argued = isNamed ? undefined : withArgument(id);
  if (argued !== undefined) return [argued];
  return ranked(id, entries, isAfterCommand(id, targets) ? [] : [searchOf(id)]);
}

/** `others` come after entries whose name matches, and before those that only contain the letters. */
function ranked(
  text: string,
  entries: readonly PaletteEntry[],
  others: readonly PaletteEntry[] = [],
): readonly PaletteEntry[] {
  const wanted = text.toLowerCase();
  const rank = (entry: PaletteEntry) => {
    const { name } = entry;
    if (name === wanted || isScreenNamed(entry, wanted)) return -1;
    if (name.startsWith(wanted)) return 0;
    if (name.includes(wanted)) return 1;
    const { words = name.split(' ') }: Named = entry;
    if (words.some((word) => word.startsWith(wanted))) return 2;
    return isScattered(wanted, name) ? 3 : 4;
  };
  const search = wanted === '' ? [] : others.map((entry) => ({ entry, rank: 2.5 }));
  return [...entries.map((entry) => ({ entry, rank: rank(entry) })), ...search]
    .filter((each) => each.rank < 4)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ entry }) => entry);
}

/** `webhooks` names the screen of the webhook endpoints, as `--screen` does. */
function isScreenNamed(entry: PaletteEntry, word: string): boolean {
  return 'place' in entry && entry.pane === undefined && entry.place.screen === word;
}

function isScattered(wanted: string, name: string): boolean {
  let at = 0;
  for (const letter of wanted) {
    at = name.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
