/** The foot of the window: what is said or can be pressed, and the place in the list. Pure. */
import { maskedSearch } from '../../nouns/search/facts.ts';
import { displayWidth, printable, shortened, wrapped } from '../../kernel/text/terminal-text.ts';
import { actions } from '../actions/registry.ts';
import { overlayHeight, noticeLines } from './geometry.ts';
import { helpLines } from './key-map.ts';
import type { Notice, Overlay, State, Tone } from './model.ts';
import { isSortedInPart, rowsOf } from './panes.ts';
import { currentList, currentPane, screenSubject, selectedRow } from './reading.ts';
import { isSearching } from './searching.ts';
import { rowLines } from './row-text.ts';

// The keys to press here and now, as far as there is room for them.

const HINT_GAP = '  ';
const ACTIONS_HINT = 'a actions';

/** In the order of the line. Hints with the greatest number are left out first. */
type Hint = readonly [text: string, sooner: number];

export function hintsFor(state: State, room: number): string {
  let hints = hintsOf(state);
  const joined = () => hints.map(([text]) => text).join(HINT_GAP);
  while (hints.length > 1 && displayWidth(joined()) > room) {
    const least = Math.max(...hints.map(([, sooner]) => sooner));
    hints = hints.filter(([, sooner]) => sooner !== least);
  }
  return joined();
}

/** The keys of what is open over a screen; the later are left out first. */
const OF_OVERLAYS: Partial<Readonly<Record<Overlay['kind'], readonly string[]>>> = {
  help: ['escape closes', 'j k move'],
  row: ['escape closes', 'j k move', ACTIONS_HINT],
  operator: ['enter searches', 'escape goes back'],
  form: ['enter goes on', 'escape cancels', 'j k choose'],
  results: ['escape closes', 'j k move'],
  secret: ['escape closes', 'y copies'],
  confirm: ['y does it, n does nothing'],
};

function hintsOf(state: State): readonly Hint[] {
  const { overlay, setup } = state;
  const texts = overlay && OF_OVERLAYS[overlay.kind];
  if (texts === undefined) return ofScreen(state);
  return texts
    .filter((text) => !setup.isReadonly || text !== ACTIONS_HINT)
    .map((text, sooner) => [text, sooner] as const);
}

function ofScreen(state: State): readonly Hint[] {
  const { view, screen } = currentList(state);
  const row = selectedRow(state);
  const reveals = actions.reveal.subject(row, screenSubject(view)) !== undefined;
  const candidates: readonly (Hint | false)[] = [
    row !== undefined && [
      row.opens === undefined && row.opensPane === undefined ? 'enter read' : 'enter open',
      3,
    ],
    ['/ filter', 5],
    [': palette', 2],
    screen.panes.length > 1 && ['tab pane', 6],
    reveals && !state.setup.isReadonly && [state.revealed === undefined ? 'x reveal' : 'x hide', 4],
    ['? help', 0],
    ['q leave', 1],
  ];
  return candidates.filter((hint) => hint !== false);
}

const GAP = 2;
/** A narrower column would have a word on each line. */
const LEAST_CELLS = 20;

/** The lines of what is said, and the position, which stands right of the last. */
export function footOf(state: State) {
  const position = positionText(state);
  const room = state.size.columns - displayWidth(position) - GAP;
  const tone: Tone = 'dim';
  if (room < 1) return { lines: [''], tone, position };
  const notice = noticeIn(state);
  if (notice === undefined) {
    return { lines: [shortened(printable(hintsFor(state, room)), room)], tone, position };
  }
  return { lines: linesOf(printable(notice.text), room, state), tone: notice.tone, position };
}

function linesOf(text: string, room: number, { size, overlay }: State): readonly string[] {
  const most = overlay === undefined && room >= LEAST_CELLS ? noticeLines(size) : 1;
  if (most === 1 || displayWidth(text) <= room) return [shortened(text, room)];
  const lines = wrapped(text, room);
  if (lines.length <= most) return lines;
  const rest = lines.slice(most - 1).join(' ');
  return [...lines.slice(0, most - 1), shortened(rest, room)];
}

/** What is said at the foot; undefined where there is only the keys to say. */
export function noticeIn(state: State): Notice | undefined {
  const { busy, overlay, notice } = state;
  if (busy !== undefined) return { text: `${busy} …`, tone: 'accent' };
  if (overlay?.kind === 'form' && overlay.held !== undefined && overlay.held.length > 0)
    return { text: 'Loading the choices … your keys wait; escape drops them', tone: 'accent' };
  if (overlay?.kind === 'help' || overlay?.kind === 'row' || overlay?.kind === 'results') return undefined;
  if (isSearching(state)) {
    const waits = state.held.length === 0 ? '' : ' your keys wait; escape drops them';
    return { text: `Searching …${waits}`, tone: 'accent' };
  }
  const { problem } = currentPane(state);
  return notice ?? (problem === undefined ? undefined : { text: problem, tone: 'bad' });
}

/** The selected row's place in the list, and what is special about the list. */
export function positionText(state: State): string {
  const { definition, pane } = currentList(state);
  const { overlay } = state;
  if (overlay?.kind === 'help' || overlay?.kind === 'row') {
    const length =
      overlay.kind === 'help' ? helpLines(state.setup.isReadonly).length : rowLines(state).length;
    const shown = Math.min(length, overlay.top + overlayHeight(state.size));
    return shown === length && overlay.top === 0 ? '' : `to line ${shown} of ${length}`;
  }
  const count = rowsOf(pane, definition).length;
  const total = pane.filter === '' || definition.filteredBy === 'daemon' ? pane.total : undefined;
  const marks = [
    ...(pane.filter === '' ? [] : [`/${shortened(printable(maskedSearch(pane.filter)), 16)}`]),
    // While it loads, R is on its way already.
    ...(pane.isStale && pane.loading === undefined ? ['changed: R'] : []),
    ...(pane.follows ? ['follows'] : []),
    ...(isSortedInPart(pane) ? [`sorted: the ${pane.rows.length} loaded`] : []),
    ...(pane.marked.size === 0 ? [] : [`${pane.marked.size} marked`]),
  ];
  if (isSearching(state)) return marks.join('  ');
  const all = total ?? `${count}${pane.next === null ? '' : '+'}`;
  if (count > 0) return [...marks, `${pane.selected + 1} of ${all}`].join('  ');
  // Nothing is known of a list that wasn't loaded.
  const isUnknown = pane.rows.length === 0 && (pane.problem !== undefined || !pane.isKnown);
  return [...marks, ...(isUnknown ? [] : ['0 of 0'])].join('  ');
}
