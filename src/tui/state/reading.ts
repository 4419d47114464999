/** Reads a state, and makes one that differs in one thing. */
import { entityIn } from '../actions/subjects.ts';
import { screens } from '../screens/registry.ts';
import type {
  About,
  Marked,
  Notice,
  Overlay,
  PaneState,
  Row,
  State,
  Step,
  Subject,
  TextLine,
  ViewState,
} from './model.ts';
import { rowsOf } from './panes.ts';

export function currentView(state: State): ViewState {
  const view = state.views.at(-1);
  if (view === undefined) throw new Error('there is no view');
  return view;
}

/** The current view, its screen, and the pane that is shown of it. */
export function currentList(state: State) {
  const view = currentView(state);
  const screen = screens[view.place.screen];
  const definition = screen.panes[view.pane];
  const pane = view.panes[view.pane];
  if (definition === undefined || pane === undefined) throw new Error('there is no pane');
  return { view, screen, definition, pane };
}

export function currentPane(state: State): PaneState {
  return currentList(state).pane;
}

/** The views that led here from one that was gone to by name, with their titles. */
export function wayHere({ views }: State): readonly (ViewState & { readonly title: string })[] {
  const way = views.slice(views.findLastIndex(({ isStart }) => isStart));
  return way.map((view) => ({ ...view, title: screens[view.place.screen].title(view.place.params) }));
}

/** The rows of the current pane, filtered and sorted. */
export function currentRows(state: State): readonly Row[] {
  const { definition, pane } = currentList(state);
  return rowsOf(pane, definition);
}

export function selectedRow(state: State): Row | undefined {
  return currentRows(state)[currentPane(state).selected];
}

/** Whether the daemon has nothing of what the screen is about: its panes then fail alike. */
export function isGone({ panes }: ViewState): boolean {
  return panes[0]?.isGone === true;
}

export function screenSubject({ place }: ViewState): Subject | undefined {
  return screens[place.screen].subject?.(place.params);
}

/** The masked name of the entity that a subject is about, if a loaded row has it. */
export function whoOf(state: State, subject: Subject): string | undefined {
  const isOf = (about: Subject | undefined) =>
    'fp_id' in subject ? entityIn(about)?.fp_id === subject.fp_id : isAbout(about, subject);
  const rows = currentView(state).panes.flatMap((pane) => pane.rows);
  return rows.find(({ who, subject: about }) => who !== undefined && isOf(about))?.who;
}

type Looked = Omit<About, 'action'>;

/** Whether the selected row or the whole screen has this subject, or all of its rows are marked here. */
export function isLookedAt(state: State, { subject, marked }: Looked): boolean {
  if (marked !== undefined) return isMarkedHere(state, marked);
  if (subject.kind === 'instance') return true;
  const about = [selectedRow(state)?.subject, screenSubject(currentView(state))];
  return about.some((each) => isAbout(each, subject));
}

/** The same fields of two people have the same keys, so this compares subjects. */
function isMarkedHere(state: State, wanted: readonly Marked[]): boolean {
  const { rows, marked } = currentPane(state);
  const here = rows.filter(({ key }) => marked.has(key));
  return (
    wanted.every(({ subject }) => here.some((row) => isAbout(row.subject, subject))) &&
    here.every((row) => wanted.some(({ subject }) => isAbout(row.subject, subject)))
  );
}

/** Whether a row or a screen has this subject, or stands for this entity, as a duplicate does. */
function isAbout(about: Subject | undefined, wanted: Subject): boolean {
  const subjects = [about, entityIn(about)];
  return subjects.some((each) => each !== undefined && JSON.stringify(each) === JSON.stringify(wanted));
}

/**
 * Otherwise the decrypted value comes too late: the user looks at something else, or the daemon was lost in between.
 */
export function isAwaited(state: State, about: Looked): boolean {
  return state.busy !== undefined && isLookedAt(state, about);
}

export const TOO_LATE = 'The value came too late and was not shown';

export function withNotice(state: State, tone: Notice['tone'], text: string): Step {
  return withoutEffects({ ...state, notice: { tone, text } });
}

/** The same step, with a notice. */
export function noted({ state, effects }: Step, tone: Notice['tone'], text: string): Step {
  return { state: { ...state, notice: { tone, text } }, effects };
}

/** The next step after this one. */
export function followedBy({ state, effects }: Step, next: (state: State) => Step): Step {
  const then = next(state);
  return { state: then.state, effects: [...effects, ...then.effects] };
}

export function withoutEffects(state: State): Step {
  return { state, effects: [] };
}

/** Removes any revealed value from the screen. */
export function hidden(state: State): State {
  return state.revealed === undefined ? state : { ...state, revealed: undefined };
}

export function withPane(state: State, view: ViewState, at: number, pane: PaneState): State {
  return view.panes[at] === pane ? state : withView(state, { ...view, panes: view.panes.with(at, pane) });
}

/** Another state of the current pane. */
export function withCurrentPane(state: State, pane: PaneState): State {
  const view = currentView(state);
  return withPane(state, view, view.pane, pane);
}

export function withView(state: State, view: ViewState): State {
  return { ...state, views: state.views.map((each) => (each.id === view.id ? view : each)) };
}

/** The input line of the open overlay. */
export function lineOfOverlay(overlay: Overlay | undefined): TextLine | undefined {
  switch (overlay?.kind) {
    case 'palette':
    case 'filter':
    case 'operator':
      return overlay.line;
    case 'form':
      return overlay.fields[overlay.at]?.kind === 'text' ? overlay.line : undefined;
    default:
      return undefined;
  }
}

/** Whether the daemon filters the current list. */
export function isFilteredByDaemon(state: State): boolean {
  return currentList(state).definition.filteredBy === 'daemon';
}
