/** The keys to press here and now, as far as there is room for them. */
import { displayWidth } from '../../kernel/terminal-text.ts';
import { actions } from '../actions/registry.ts';
import { screens } from '../screens/registry.ts';
import type { State } from './model.ts';
import { currentView, screenSubject, selectedRow } from './reading.ts';

const GAP = '  ';

/** In the order of the line. Hints with the greatest number are left out first. */
type Hint = readonly [text: string, sooner: number];

export function hintsFor(state: State, room: number): string {
  let hints = hintsOf(state);
  const joined = () => hints.map(([text]) => text).join(GAP);
  while (hints.length > 1 && displayWidth(joined()) > room) {
    const least = Math.max(...hints.map(([, sooner]) => sooner));
    hints = hints.filter(([, sooner]) => sooner !== least);
  }
  return joined();
}

function hintsOf(state: State): readonly Hint[] {
  switch (state.overlay?.kind) {
    case 'help':
      return [
        ['escape closes', 0],
        ['j k move', 1],
      ];
    case 'row':
      return [
        ['escape closes', 0],
        ['j k move', 1],
        ...(state.setup.isReadonly ? [] : [['a actions', 2] as const]),
      ];
    case 'operator':
      return [
        ['enter searches', 0],
        ['escape goes back', 1],
      ];
    case 'form':
      return [
        ['enter goes on', 0],
        ['escape cancels', 1],
        ['j k choose', 2],
      ];
    case 'results':
      return [
        ['escape closes', 0],
        ['j k move', 1],
      ];
    case 'secret':
      return [
        ['escape closes', 0],
        ['y copies', 1],
      ];
    case 'confirm':
      return [['y does it, n does nothing', 0]];
    default:
      return ofScreen(state);
  }
}

function ofScreen(state: State): readonly Hint[] {
  const view = currentView(state);
  const row = selectedRow(state);
  const reveals = actions.reveal.subject(row, screenSubject(view)) !== undefined;
  const candidates: readonly (Hint | false)[] = [
    row !== undefined && [
      row.opens === undefined && row.opensPane === undefined ? 'enter read' : 'enter open',
      3,
    ],
    ['/ filter', 5],
    [': palette', 2],
    screens[view.place.screen].panes.length > 1 && ['tab pane', 6],
    reveals && !state.setup.isReadonly && [state.revealed === undefined ? 'x reveal' : 'x hide', 4],
    ['? help', 0],
    ['q leave', 1],
  ];
  return candidates.filter((hint) => hint !== false);
}
