/**
 * The inspector's one function of change: a state and what was told make the next state and what is to be done. Pure.
 */
import { screens } from '../screens/registry.ts';
import { commandOf } from './key-map.ts';
import type { Effect, Happening, Message, Setup, Size, State, Step } from './model.ts';
import { goTo, obeyed, reloaded, settled } from './moves.ts';
import { overlayKey } from './overlays.ts';
import { takePage } from './panes.ts';
import { currentView, heightOf, hidden, still, told, withPane } from './reading.ts';

export function initialState(setup: Setup, size: Size): Step {
  const empty: State = {
    setup,
    size,
    views: [],
    nextView: 1,
    overlay: undefined,
    revealed: undefined,
    notice: undefined,
    connection: { kind: 'connecting' },
    busy: undefined,
    now: 0,
    isLeaving: false,
  };
  return goTo(empty, setup.start);
}

export function update(state: State, message: Message): Step {
  switch (message.type) {
    case 'key':
      return pressed({ ...state, now: message.now }, message.key);
    case 'resized':
      return settled({ ...state, size: message.size });
    case 'page': {
      const found = findPane(state, message.view, message.pane, message.generation);
      if (found === undefined) return still(state);
      const { view, pane, definition } = found;
      const height = heightOf(state, view, message.pane, pane);
      const taken = takePage(pane, message.page, message.isFirst, height, definition);
      const next = withPane(state, view, message.pane, taken);
      // What happened while it was loading is loaded after it.
      return taken.isStale && message.isFirst ? reloaded(next, message.pane) : settled(next);
    }
    case 'load_failed': {
      const found = findPane(state, message.view, message.pane, message.generation);
      if (found === undefined) return still(state);
      const pane = { ...found.pane, loading: undefined, problem: message.problem };
      return still(withPane(state, found.view, message.pane, pane));
    }
    case 'happened':
      return happened(state, message.types);
    case 'connection':
      return connected(state, message);
    case 'choices':
      return still(withChoices(state, message.field, message.choices));
    case 'revealed':
      return {
        state: { ...state, busy: undefined, revealed: message.revealed, now: message.now, notice: undefined },
        effects: [{ type: 'count_down' }],
      };
    case 'done': {
      const next = { ...state, busy: undefined, notice: message.notice };
      return message.changes ? reloaded(next) : still(next);
    }
    case 'tick':
      return still(hideWhenOver({ ...state, now: message.now }));
  }
}

function pressed(state: State, key: string): Step {
  if (commandOf(key) === 'interrupt')
    return { state: { ...hidden(state), isLeaving: true }, effects: [{ type: 'leave' }] };
  if (state.overlay !== undefined) return overlayKey(state, state.overlay, key);
  const command = commandOf(key);
  if (command === undefined) return still(state);
  return obeyed({ ...state, notice: undefined }, command, key);
}

function happened(state: State, types: ReadonlySet<Happening>): Step {
  const view = currentView(state);
  const { panes } = screens[view.place.screen];
  let next = state;
  const effects: Effect[] = [];
  for (const [at, definition] of panes.entries()) {
    const pane = currentView(next).panes[at];
    if (pane === undefined || !definition.changesWith.some((type) => types.has(type))) continue;
    // Nothing moves under the eyes of somebody who reads further down.
    const isRead = pane.next !== null && pane.top > 0 && !pane.follows;
    if (pane.loading !== undefined || isRead) {
      next = withPane(next, currentView(next), at, { ...pane, isStale: true });
    } else {
      const step = reloaded(next, at);
      next = step.state;
      effects.push(...step.effects);
    }
  }
  return { state: next, effects };
}

function connected(
  state: State,
  { connection, isNewDaemon }: Extract<Message, { type: 'connection' }>,
): Step {
  const before = state.connection.kind;
  const next = { ...state, connection };
  if (connection.kind === 'lost') return still({ ...hidden(next), overlay: undefined, busy: undefined });
  if (before === 'connecting' || connection.kind === 'connecting') return still(next);
  const step = reloaded(next);
  if (isNewDaemon === true)
    return { ...told(step.state, 'warn', 'The daemon was started anew'), effects: step.effects };
  return before === 'lost' ? { ...told(step.state, 'good', 'Connected again'), effects: step.effects } : step;
}

function withChoices(
  state: State,
  field: string,
  choices: Extract<Message, { type: 'choices' }>['choices'],
): State {
  const { overlay } = state;
  if (overlay?.kind !== 'form') return state;
  const fields = overlay.fields.map((each) => (each.name === field ? { ...each, choices } : each));
  return { ...state, overlay: { ...overlay, fields } };
}

function hideWhenOver(state: State): State {
  return state.revealed !== undefined && state.now >= state.revealed.hidesAt ? hidden(state) : state;
}

function findPane(state: State, id: number, at: number, generation: number) {
  const view = state.views.find((each) => each.id === id);
  const pane = view?.panes[at];
  const definition = view && screens[view.place.screen].panes[at];
  if (view === undefined || pane === undefined || definition === undefined) return undefined;
  return pane.generation === generation ? { view, pane, definition } : undefined;
}
