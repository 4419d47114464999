/**
 * Keys typed ahead. While a search of the daemon runs, the rows on the screen are those of before. Keys that act wait
 * for the result: they are for its one row, or dropped with a word. While the choices of a form load, its keys wait for
 * them. Pure.
 */
import { counted } from '../../kernel/text/count-text.ts';
import { type Command, isMove, KEY_MAP } from './key-map.ts';
import type { Form, State, Step } from './model.ts';
import {
  currentPane,
  currentRows,
  followedBy,
  isFilteredByDaemon,
  withNotice,
  withoutEffects,
} from './reading.ts';

/** Whether the rows of the current pane belong to an earlier search, or are still to come. */
export function isSearching(state: State): boolean {
  const { loading, isKnown, filter, rows } = currentPane(state);
  return isFilteredByDaemon(state) && loading === 'first' && !isKnown && (filter !== '' || rows.length > 0);
}

/** About a row, or moving from row to row. */
const ABOUT_ROWS: ReadonlySet<Command> = new Set(
  KEY_MAP.flatMap(({ group, command }) => (group === 'Act' || group === 'Copy' ? [command] : [])),
);
const OPENS: ReadonlySet<Command> = new Set(['open', 'read']);
/** More than this is not typed ahead. */
const MOST_HELD = 64;
const CONFIRMS_NOTHING = 'Keys that are typed ahead confirm nothing: y does it now';

/** The state that holds the key back; undefined for a key that works during a search. */
export function heldBack(state: State, command: Command | undefined, key: string): State | undefined {
  const { held } = state;
  if (!isSearching(state)) return undefined;
  if (command === 'back') return held.length === 0 ? undefined : { ...state, held: [] };
  const acts = command !== undefined && (ABOUT_ROWS.has(command) || OPENS.has(command));
  // What follows a key that acts may be typed into its form.
  if (acts || held.length > 0) return { ...state, held: [...held, key].slice(0, MOST_HELD) };
  return isMove(command) ? state : undefined;
}

/** Whether this key needs the choices of the current field, which are still to come. */
function needsChoices(form: Form, key: string): boolean {
  const field = form.fields[form.at];
  if (field?.isLoading !== true) return false;
  return field.kind === 'loaded' || key === 'up' || key === 'down';
}

/** The form that holds the key back; undefined for a key that works. `escape` first drops what waits. */
export function heldInForm(form: Form, key: string): Form | undefined {
  const { held = [] } = form;
  if (key === 'escape') return held.length === 0 ? undefined : { ...form, held: [] };
  if (held.length === 0 && !needsChoices(form, key)) return undefined;
  return { ...form, held: [...held, key].slice(0, MOST_HELD) };
}

/** Presses the held keys once the choices or the search that they wait for have come. */
export function released(state: State, press: (state: State, key: string) => Step): Step {
  const { overlay } = state;
  if (overlay?.kind !== 'form') return releasedAfterSearch(state, press);
  const { held = [] } = overlay;
  const [first] = held;
  if (first === undefined || needsChoices(overlay, first)) return withoutEffects(state);
  return pressedAhead(withoutEffects({ ...state, overlay: { ...overlay, held: [] } }), held, press);
}

/** For the one row that the search found, or not at all. */
function releasedAfterSearch(state: State, press: (state: State, key: string) => Step): Step {
  const { held } = state;
  if (held.length === 0 || isSearching(state)) return withoutEffects(state);
  const pane = currentPane(state);
  const count = currentRows(state).length;
  const step = withoutEffects({ ...state, held: [] });
  if (pane.problem !== undefined) return step;
  if (count !== 1 || pane.next !== null) {
    const found = count === 0 ? 'Nothing matches' : `${counted(count, 'row')}: choose one`;
    return withNotice(step.state, 'warn', `${found}. The keys that you typed meanwhile did nothing`);
  }
  return pressedAhead(step, held, press);
}

/** Keys that were typed ahead confirm nothing. Those of a form are for no list below it. */
function pressedAhead(
  before: Step,
  keys: readonly string[],
  press: (state: State, key: string) => Step,
): Step {
  const isOfForm = before.state.overlay?.kind === 'form';
  let step = before;
  for (const key of keys) {
    const { state } = step;
    const kind = state.overlay?.kind;
    if (kind === 'confirm') return { ...step, state: withNotice(state, 'warn', CONFIRMS_NOTHING).state };
    if (kind === 'secret' || (isOfForm && kind !== 'form')) break;
    step = followedBy(step, (next) => press(next, key));
  }
  return step;
}
