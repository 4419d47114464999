/** The inspector's reducer: a state and a message give the next state and the effects to run. Pure. */
import { STREAM_TYPES } from '../../nouns/control/facts.ts';
import { screens } from '../screens/registry.ts';
import { hasHeadings, HEADER_LINES, isTooSmall, paneColumns, TABS_LINES } from './geometry.ts';
import { heightOf } from './heights.ts';
import { commandOf } from './key-map.ts';
import type { Effect, Happening, Message, PaneState, Setup, Size, State, Step } from './model.ts';
import { goTo, moved, reloaded, runCommand, settled, showPane } from './moves.ts';
import { withQueue } from './next-case.ts';
import { askedAgain, goneOn, initialOf, isChoice, isIdle, overlayKey } from './overlays.ts';
import { EMPTY_PAGE, isReadInto, loadAgain, selectAt, takePage } from './panes.ts';
import {
  currentList,
  currentRows,
  currentView,
  followedBy,
  hidden,
  isAwaited,
  isLookedAt,
  noted,
  TOO_LATE,
  withCurrentPane,
  withNotice,
  withoutEffects,
  withPane,
} from './reading.ts';
import { pointed } from './pointing.ts';
import { heldBack, isSearching, released } from './searching.ts';
import { tabsOf } from './tabs.ts';
import { withKeptVerified, withVerified } from './verified.ts';

const EVERYTHING: ReadonlySet<Happening> = new Set([...STREAM_TYPES, 'read']);

const HOME = { screen: 'users', params: {} } as const;

/** `before`: keeps its operator, and continues its view numbers, so that a late response can't reach a new view. */
export function initialState(
  setup: Setup,
  size: Size,
  before?: Pick<State, 'nextView' | 'operator' | 'reasons' | 'now'>,
): Step {
  const empty: State = {
    setup,
    size,
    views: [],
    ahead: [],
    nextView: before?.nextView ?? 1,
    overlay: undefined,
    revealed: undefined,
    verified: undefined,
    notice: undefined,
    held: [],
    connection: { kind: 'connecting' },
    operator: before?.operator ?? setup.operator,
    reasons: before?.reasons ?? [],
    busy: undefined,
    now: before?.now ?? 0,
    isLeaving: false,
  };
  return goTo(empty, setup.start);
}

/**
 * Ensures after every message that the selection is visible, and that revealed values disappear when the user looks
 * elsewhere.
 */
export function update(state: State, message: Message): Step {
  const step = followedBy(changed(state, message), (next) => released(next, pressed));
  const shown = staysRevealed(step.state) ? step.state : hidden(step.state);
  return { ...step, state: drawn(withKeptVerified(shown)) };
}

function staysRevealed(state: State): boolean {
  const { revealed, now } = state;
  if (revealed === undefined) return true;
  return !state.isLeaving && now < revealed.hidesAt && isLookedAt(state, revealed);
}

/** Scrolls the selected row into the window. */
function drawn(state: State): State {
  const { definition, pane } = currentList(state);
  const shown = selectAt(pane, pane.selected, heightOf(state), definition);
  return withCurrentPane(state, atTop(state, pane, shown));
}

/** A browser scrolls by itself, also away from the selected row. */
function atTop({ setup }: State, { top }: PaneState, pane: PaneState): PaneState {
  return setup.isPage !== true || pane.top === top ? pane : { ...pane, top };
}

function changed(state: State, message: Message): Step {
  switch (message.type) {
    case 'key':
      return pressed({ ...state, now: message.now }, message.key);
    case 'click':
      if (isUnseen(state) || state.overlay !== undefined) return withoutEffects(state);
      if (isSearching(state))
        return withNotice(state, 'warn', 'The search is not done yet: click again then');
      return clicked({ ...state, now: message.now, notice: undefined }, message);
    case 'pointed':
      return pointed({ ...state, now: message.now }, message.act, pressed);
    case 'resized':
      return settled({ ...state, size: message.size });
    case 'page': {
      const found = findPane(state, message.view, message.pane, message.generation);
      if (found === undefined) return withoutEffects(state);
      const { view, pane, definition } = found;
      const height = heightOf(state, view, message.pane);
      const taken = atTop(state, pane, takePage(pane, message.page, message.isFirst, height, definition));
      const next = withPane(state, view, message.pane, taken);
      // A view in the background is reloaded when it is shown.
      if (view.id !== currentView(state).id) return withoutEffects(next);
      // Changes during the load need another load.
      return taken.isStale && !isReadInto(taken) ? reloaded(next, message.pane) : settled(next);
    }
    case 'load_failed': {
      const found = findPane(state, message.view, message.pane, message.generation);
      if (found === undefined) return withoutEffects(state);
      const { problem, isGone = false } = message;
      const failed = { ...found.pane, loading: undefined, problem, isGone };
      // The data of a deleted entity is not shown any longer, and no rows of an earlier search.
      const pane = isGone || !found.pane.isKnown ? { ...failed, ...EMPTY_PAGE, total: 0 } : failed;
      return withoutEffects(withPane(state, found.view, message.pane, pane));
    }
    case 'happened':
      return withQueue(happened(state, message.types), message.types);
    case 'connection':
      return connected(state, message);
    case 'choices':
      return withChoices(state, message);
    case 'revealed':
      if (!isAwaited(state, message.revealed))
        return withNotice({ ...state, busy: undefined }, 'warn', TOO_LATE);
      return {
        state: { ...state, busy: undefined, revealed: message.revealed, now: message.now, notice: undefined },
        effects: [{ type: 'count_down' }],
      };
    case 'verified':
      return reloaded(
        withVerified({ ...state, busy: undefined }, message.fp_id, message.fields),
        undefined,
        loadAgain,
      );
    case 'opened':
      return goTo({ ...state, busy: undefined }, message.place);
    case 'progress':
      return withoutEffects(state.busy === undefined ? state : { ...state, busy: message.text });
    case 'done_many':
      return doneMany(state, message);
    case 'secret': {
      const { title, secret, lines } = message;
      const shown = { ...state, busy: undefined, overlay: { kind: 'secret', title, secret, lines } as const };
      return reloaded(shown, undefined, loadAgain);
    }
    case 'switched':
      return switched(state, message.setup);
    case 'instances':
      return withoutEffects({ ...state, setup: { ...state.setup, instances: message.names } });
    case 'copied':
      return withoutEffects({ ...state, notice: message.notice });
    case 'done': {
      const next = { ...state, busy: undefined, notice: message.notice };
      return message.changes ? reloaded(next, undefined, loadAgain) : withoutEffects(next);
    }
    case 'failed': {
      const next = { ...state, busy: undefined };
      const { problem, form, isStale } = message;
      // If the user has moved on meanwhile, the form does not come back.
      const isBack = form !== undefined && state.overlay === undefined && isLookedAt(state, form);
      if (!isBack) return withNotice(next, 'bad', problem);
      return isStale === true
        ? askedAgain(next, form, problem)
        : withoutEffects({ ...next, overlay: { ...form, problem } });
    }
    case 'tick':
      return withoutEffects({ ...state, now: message.now });
  }
}

/** Failed rows stay marked. Shows the results row by row, unless another overlay is open by now. */
function doneMany(state: State, message: Extract<Message, { type: 'done_many' }>): Step {
  const { title, results } = message;
  const failed = results.filter(({ isDone }) => !isDone).map(({ key }) => key);
  const view = state.views.find(({ id }) => id === message.view);
  const pane = view?.panes[message.pane];
  const left =
    view === undefined || pane === undefined
      ? state
      : withPane(state, view, message.pane, { ...pane, marked: new Set(failed) });
  const text = `${title}: ${results.length - failed.length} of ${results.length} done`;
  const notice = { tone: failed.length === 0 ? 'good' : 'bad', text } as const;
  const overlay = state.overlay ?? { kind: 'results' as const, top: 0, title: text, results };
  return reloaded({ ...left, busy: undefined, notice, overlay }, undefined, loadAgain);
}

/** Starts as if new, in another place: no row, view or form of the previous one is kept. */
function switched(state: State, setup: Extract<Message, { type: 'switched' }>['setup']): Step {
  const step = initialState({ ...state.setup, ...setup, start: HOME }, state.size, state);
  return noted(step, 'good', `Now at ${setup.instance}, ${setup.environment}`);
}

function isUnseen({ setup, size }: State): boolean {
  return setup.isLinear !== true && isTooSmall(size);
}

function pressed(state: State, key: string): Step {
  const command = commandOf(key);
  // `q` is a letter while the user types.
  const isHeld = state.held.length > 0 && isSearching(state);
  const leaves = command === 'interrupt' || (command === 'quit' && state.overlay === undefined && !isHeld);
  if (leaves) return runCommand(state, command);
  // A question that can't be seen can't be confirmed.
  if (isUnseen(state)) return withoutEffects(state);
  if (command === 'suspend') return runCommand(state, command);
  if (state.overlay !== undefined) return overlayKey(state, state.overlay, key);
  const waiting = heldBack(state, command, key);
  if (waiting !== undefined) return withoutEffects(waiting);
  if (command === undefined) return withoutEffects(state);
  return runCommand({ ...state, notice: undefined }, command, key);
}

function happened(state: State, types: ReadonlySet<Happening>): Step {
  const view = currentView(state);
  const { panes } = screens[view.place.screen];
  let step = withoutEffects(state);
  for (const [at, definition] of panes.entries()) {
    const here = currentView(step.state);
    const pane = here.panes[at];
    if (pane === undefined || !definition.changesWith.some((type) => types.has(type))) continue;
    step = followedBy(step, (next) =>
      pane.loading !== undefined || isReadInto(pane)
        ? withoutEffects(withPane(next, here, at, { ...pane, isStale: true }))
        : reloaded(next, at),
    );
  }
  return step;
}

function connected(
  state: State,
  { connection, isNewDaemon }: Extract<Message, { type: 'connection' }>,
): Step {
  const before = state.connection.kind;
  const next = { ...state, connection };
  // What is typed stays, as does a new credential, which is shown nowhere else.
  if (connection.kind === 'lost') return withoutEffects({ ...hidden(next), busy: undefined });
  if (connection.kind === 'connecting') return withoutEffects(next);
  // The loaded data may be older than the beginning of the stream.
  if (before === 'connecting') return happened(next, EVERYTHING);
  const loaded = reloaded(next);
  const step = { ...loaded, effects: [...loaded.effects, ...choicesAgain(next)] };
  if (isNewDaemon === true) return noted(step, 'warn', 'The daemon was restarted');
  return before === 'lost' ? noted(step, 'good', 'Connected again') : step;
}

/** The choices of an open form could not be loaded while the daemon was lost. */
function choicesAgain({ overlay }: State): Effect[] {
  if (overlay?.kind !== 'form') return [];
  const { action, subject, marked, fields } = overlay;
  return fields
    .filter(({ kind }) => kind === 'loaded')
    .map(({ name: field }) => ({ type: 'load_choices', action, subject, marked, field }));
}

function withChoices(state: State, message: Extract<Message, { type: 'choices' }>): Step {
  const { overlay } = state;
  // Choices for a form that was left must not appear in another.
  if (overlay?.kind !== 'form' || overlay.action !== message.action) return withoutEffects(state);
  if (JSON.stringify(overlay.subject) !== JSON.stringify(message.subject)) return withoutEffects(state);
  const { field, choices } = message;
  const fields = overlay.fields.map((each) =>
    each.name === field
      ? { ...each, isLoading: false, choices: [...(each.isReason ? (each.choices ?? []) : []), ...choices] }
      : each,
  );
  const form = { ...overlay, fields };
  const asked = fields[overlay.at];
  if (asked?.name !== field) return withoutEffects({ ...state, overlay: form });
  if (isIdle(asked)) return goneOn(state, form, overlay.at);
  const initial = overlay.values[asked.name] ?? initialOf(overlay, asked);
  const at = choices.findIndex((choice) => isChoice(choice, initial ?? ''));
  return withoutEffects({ ...state, overlay: { ...form, selected: Math.max(0, at) } });
}

function findPane(state: State, id: number, at: number, generation: number) {
  const view = state.views.find((each) => each.id === id);
  const pane = view?.panes[at];
  const definition = view && screens[view.place.screen].panes[at];
  if (view === undefined || pane === undefined || definition === undefined) return undefined;
  return pane.generation === generation ? { view, pane, definition } : undefined;
}

// The mouse: a click selects a row or a pane, a click on the selected row opens it, the wheel moves. Pure.

/** Counts from 0 at the top left of the window. */
interface CellPosition {
  readonly line: number;
  readonly column: number;
}

/** A click of the first button, without an overlay. */
function clicked(state: State, { line, column }: CellPosition): Step {
  const { view, screen, definition, pane } = currentList(state);
  const hasTabs = screen.panes.length > 1;
  if (hasTabs && line === HEADER_LINES) {
    const tab = tabsOf(state).shown.find(({ from, to }) => from <= column && column < to);
    return tab === undefined ? withoutEffects(state) : showPane(state, tab.at);
  }
  // The area beside the pane is for reading only.
  if (column >= paneColumns(state.size, screen, view.pane)) return withoutEffects(state);
  const height = heightOf(state);
  const above =
    HEADER_LINES +
    (hasTabs ? TABS_LINES : 0) +
    (pane.banner === undefined ? 0 : 1) +
    (hasHeadings(definition) ? 1 : 0);
  const row = line - above;
  const index = pane.top + row;
  if (row < 0 || row >= height || index >= currentRows(state).length) return withoutEffects(state);
  return index === pane.selected ? runCommand(state, 'open') : moved(state, index, height);
}
