/** Turns a key into an action: the rows it is about, its form, and its question. Pure. */
import { actions } from '../actions/registry.ts';
import type { ActionDefinition } from '../actions/definition.ts';
import { counted } from '../../kernel/text/count-text.ts';
import { markedRows } from './marking.ts';
import type { About, ActionName, Effect, Given, Marked, Row, State, Step, Subject } from './model.ts';
import { operatorFields, takenOperator, withOperator } from './operator.ts';
import {
  currentList,
  currentView,
  hidden,
  screenSubject,
  selectedRow,
  whoOf,
  withNotice,
  withoutEffects,
} from './reading.ts';
import { subjectText } from './subject-text.ts';
import { lineOf } from './text-line.ts';

/** What `-` does in this list. */
export function removalOf(state: State): ActionName {
  return currentList(state).definition.deletes ?? 'remove';
}

/**
 * The actions available here: those of this list, then for the selected row or the marked ones, then about what the
 * whole screen shows.
 */
export function actionsHere(state: State): readonly ActionName[] {
  if (state.setup.isReadonly) return [];
  const { view, definition } = currentList(state);
  const { creates, offers = [] } = definition;
  const here = [...(creates === undefined ? [] : [creates]), ...offers];
  const about = screenSubject(view);
  const rows = markedRows(state);
  const ofRows = (Object.keys(actions) as ActionName[]).filter((name) => {
    const subject = actions[name].subject(rows[0] ?? selectedRow(state), about);
    return (
      subject !== undefined && subject.kind !== 'instance' && (rows.length === 0 || isForMany(actions[name]))
    );
  });
  const isOfScreen = (name: ActionName) => actions[name].subject(undefined, about) !== undefined;
  const [ofScreen, others] = [ofRows.filter(isOfScreen), ofRows.filter((name) => !isOfScreen(name))];
  return [...new Set([...here, ...others, ...ofScreen])];
}

const NO_IMAGES = 'This terminal shows no images, so nothing was decrypted: w saves the file';
const NO_BROWSER = 'There is no browser to open here, so nothing was decrypted: w saves the file';

/** Begins an action on the marked rows, on the one that is selected, or on what the screen is about. */
export function begin(state: State, name: ActionName): Step {
  const action = actions[name];
  const subject = subjectHere(state, action, selectedRow(state));
  if (state.setup.isReadonly)
    return withNotice(state, 'warn', `--readonly is on: ${action.label} is not possible`);
  if (subject?.kind === 'instance') return started(state, name, { subject });
  const rows = markedRows(state);
  if (rows.length > 0) return beginForMany(state, name, rows);
  if (subject === undefined) return withNotice(state, 'warn', action.needs);
  const isFile = subject.kind === 'field' && subject.type === 'file';
  const { cannotShowImages, cannotBrowse } = state.setup;
  if (name === 'reveal' && isFile && cannotShowImages === true) {
    const browses = cannotBrowse === true ? '' : ', O opens it in the browser';
    return withNotice(state, 'warn', NO_IMAGES + browses);
  }
  if (name === 'browse' && cannotBrowse === true) return withNotice(state, 'warn', NO_BROWSER);
  return started(state, name, { subject });
}

/** Whether the action works for marked rows. */
export function isForMany({ forMany, atOnce }: ActionDefinition): boolean {
  return forMany === true || atOnce !== undefined;
}

function beginForMany(state: State, name: ActionName, rows: readonly Row[]): Step {
  const action = actions[name];
  const count = counted(rows.length, 'row');
  if (!isForMany(action))
    return withNotice(
      state,
      'warn',
      `${action.label}: one row at a time only, and ${count} marked. escape unmarks`,
    );
  // What the screen is about is none of the rows.
  const all = rows.map((row) => ({ row, subject: action.subject(row, undefined) }));
  const apt = all.flatMap(({ row, subject }): readonly Marked[] =>
    subject === undefined ? [] : [{ key: row.key, subject, who: row.who ?? whoOf(state, subject) }],
  );
  // Several rows of one person are one.
  const keys = apt.map(({ subject }) => JSON.stringify(subject));
  const marked = apt.filter((_, at) => keys.indexOf(keys[at] ?? '') === at);
  const [first] = marked;
  if (first === undefined || apt.length < rows.length)
    return withNotice(
      state,
      'warn',
      `Not possible for ${rows.length - apt.length} of ${count} marked: ${action.needs}`,
    );
  const problem = action.atOnce?.problem(marked.map(({ subject }) => subject));
  if (problem !== undefined) return withNotice(state, 'warn', problem);
  return started(state, name, { subject: first.subject, marked });
}

function subjectHere(state: State, action: ActionDefinition, row: Row | undefined): Subject | undefined {
  const subject = action.subject(row, screenSubject(currentView(state)));
  if (subject?.kind !== 'instance') return subject;
  const { instance, environment } = state.setup;
  return { kind: 'instance', instance, environment };
}

function started(state: State, name: ActionName, { subject, marked }: Omit<About, 'action'>): Step {
  const action = actions[name];
  if (state.busy !== undefined) return withNotice(state, 'warn', `Still running: ${state.busy}`);
  const all = marked?.map((each) => each.subject) ?? [subject];
  const typedBefore = state.reasons.map((reason) => ({ value: reason, label: reason }));
  const asked = action.fields?.(subject, all) ?? [];
  const fields = [...operatorFields(state, action), ...asked].map((field) => ({
    ...field,
    ...(field.isReason === true && { choices: typedBefore }),
    isLoading: field.kind === 'loaded' || field.isReason === true,
  }));
  if (fields.length === 0) {
    const nothing = { action: name, subject, marked, values: {}, form: undefined };
    return agreedTo({ ...hidden(state), notice: undefined }, nothing);
  }
  const effects = fields
    .filter(({ isLoading }) => isLoading)
    .map(({ name: field }): Effect => ({ type: 'load_choices', action: name, subject, marked, field }));
  const first = fields[0];
  return {
    state: {
      ...hidden(state),
      notice: undefined,
      overlay: {
        kind: 'form',
        action: name,
        subject,
        marked,
        who: whoOf(state, subject),
        fields,
        at: 0,
        values: {},
        line: lineOf(first?.initial ?? ''),
        selected: Math.max(0, first?.choices?.findIndex(({ value }) => value === first.initial) ?? 0),
      },
    },
    effects,
  };
}

/** All values are given: asks for confirmation, if the action has a question. */
export function agreedTo(state: State, given: Given): Step {
  const { action, subject, marked, values, form } = given;
  const lines = questionLines(actions[action], given, {
    ...withOperator(state, values),
    instance: state.setup.instance,
  });
  if (lines.length === 0) return perform(state, given);
  const who = whoOf(state, subject);
  return withoutEffects({
    ...state,
    overlay: { kind: 'confirm', action, subject, marked, who, values, top: 0, lines, form },
  });
}

/** Names each subject, and states once what holds for all of them. */
function questionLines(
  action: ActionDefinition,
  { subject, marked }: Given,
  values: Given['values'],
): readonly string[] {
  if (marked === undefined || action.atOnce !== undefined) return action.confirm(subject, values);
  const questions = marked.map((each) => {
    const [first = '', ...rest] = action.confirm(each.subject, values);
    return { first: each.who === undefined ? first : `${each.who}: ${first}`, rest };
  });
  // What follows can differ, as for those that are enabled and those that are disabled.
  return [...questions.map(({ first }) => first), ...new Set(questions.flatMap(({ rest }) => rest))];
}

export function perform(state: State, { action, subject, marked, values: given, form }: Given): Step {
  if (state.connection.kind === 'lost')
    return withNotice(state, 'warn', 'The daemon was lost, so nothing was sent. Try again once it is back');
  const { operator, values } = takenOperator(state, given);
  const { id: view, pane } = currentView(state);
  const reasons = withTyped(state.reasons, form, values);
  return {
    state: { ...state, operator, reasons, overlay: undefined, busy: actions[action].label },
    effects: [{ type: 'perform', operator, action, subject, marked, view, pane, values, form }],
  };
}

const REASONS_KEPT = 20;

/** Also those of a form that fails: the same reason may be needed again. */
function withTyped(
  reasons: readonly string[],
  form: Given['form'],
  values: Given['values'],
): readonly string[] {
  const name = form?.fields.find(({ isReason }) => isReason === true)?.name;
  const reason = values[name ?? ''] ?? '';
  if (reason === '') return reasons;
  return [reason, ...reasons.filter((other) => other !== reason)].slice(0, REASONS_KEPT);
}

/** The name of a row in the results of an action. */
export function nameOf({ subject, who }: Marked): string {
  return subjectText(subject, who);
}
