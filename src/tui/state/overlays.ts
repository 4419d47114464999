/** Handles keys while an overlay is open: help, the palette, a filter, a form, a question. */
import { maskedSearch } from '../../nouns/search/facts.ts';
import { printable, wrapped } from '../../kernel/text/terminal-text.ts';
import { actions } from '../actions/registry.ts';
import { agreedTo, begin, perform } from './acting.ts';
import { overlayHeight } from './geometry.ts';
import { commandOf, helpLines, isMove, KEY_MAP, STEPS, type Command } from './key-map.ts';
import type { Choice, FieldDefinition, Form, Overlay, State, Step, Target, TextLine, Size } from './model.ts';
import { filteredBy, goHome, runCommand } from './moves.ts';
import { operatorProblem, operatorQuestion, type LoggedSearch } from './operator.ts';
import { found as foundBy } from './palette.ts';
import { followedBy, hidden, isFilteredByDaemon, withNotice, withoutEffects } from './reading.ts';
import { resultLines } from './result-text.ts';
import { rowLines } from './row-text.ts';
import { heldInForm } from './searching.ts';
import { EMPTY_LINE, lineOf, selectedLineOf, typed } from './text-line.ts';

// The lines of a question in a window, and how many fit. Pure.

/** The title, and the line of keys. */
const OTHER_LINES = 2;

export function questionLines(lines: readonly string[], { columns }: Size): readonly string[] {
  return lines.flatMap((line) => wrapped(printable(line), columns - 4));
}

/** Room for all lines if they fit. Otherwise one less, for the line that shows the total. */
export function questionRoom(size: Size): number {
  return overlayHeight(size) - OTHER_LINES;
}

export function overlayKey(state: State, overlay: Overlay, key: string): Step {
  switch (overlay.kind) {
    case 'help':
      return scrollKey(state, overlay, helpLines(state.setup.isReadonly).length, key);
    case 'row':
      return rowKey(state, overlay, key);
    case 'palette':
      return paletteKey(state, overlay, key);
    case 'filter':
      return filterKey(state, overlay, key);
    case 'operator':
      return operatorKey(state, overlay, key);
    case 'form':
      return formKey(state, overlay, key);
    case 'confirm':
      if (key === 'y' || key === 'Y') return perform(state, overlay);
      if (key === 'n' || key === 'N' || key === 'escape' || key === 'q')
        return withNotice(closed(state), 'dim', 'Nothing was done');
      return scrolled(
        state,
        overlay,
        questionLines(overlay.lines, state.size).length - questionRoom(state.size),
        key,
      );
    case 'results':
      return scrollKey(state, overlay, resultLines(overlay.results, state.size).length + 1, key);
    case 'secret':
      return secretKey(state, overlay, key);
  }
}

const closed = (state: State): State => ({ ...state, overlay: undefined });

/** Undefined: a key that doesn't edit. A local filter applies while the user types; anything else waits for enter. */
export function withLine(state: State, line: TextLine | undefined): Step {
  const { overlay } = state;
  if (line === undefined) return withoutEffects(state);
  switch (overlay?.kind) {
    case 'palette':
      return withoutEffects({ ...state, notice: undefined, overlay: { ...overlay, line, selected: 0 } });
    case 'operator':
    case 'form':
      return withoutEffects({ ...state, overlay: { ...overlay, line, problem: undefined } });
    case 'filter': {
      const next = { ...state, overlay: { ...overlay, line } };
      return isFilteredByDaemon(state) ? withoutEffects(next) : filteredBy(next, line.text);
    }
    default:
      return withoutEffects(state);
  }
}

/** The credential can't be shown again, so neither keys typed ahead nor a slip may close it. */
function secretKey(state: State, { secret, title }: Extract<Overlay, { kind: 'secret' }>, key: string): Step {
  if (key === 'escape') return withNotice(closed(state), 'dim', `Closed: ${title}`);
  if (key !== 'y') return withoutEffects(state);
  return { state, effects: [{ type: 'copy', text: secret, what: title }] };
}

/** What a key begins or copies is about the row that is read. */
function rowKey(state: State, overlay: Extract<Overlay, { kind: 'row' }>, key: string): Step {
  const command = commandOf(key);
  if (command !== undefined && IN_A_ROW.has(command)) return runCommand(closed(state), command, key);
  return scrollKey(state, overlay, rowLines(state).length, key);
}

/** Not the marks: `space` scrolls. */
const IN_A_ROW: ReadonlySet<Command> = new Set(
  KEY_MAP.flatMap(({ group, command }) =>
    (group === 'Act' || group === 'Copy') && command !== 'mark' && command !== 'mark_all' ? [command] : [],
  ),
);

type Scrolling = Extract<Overlay, { kind: 'help' | 'row' | 'results' | 'confirm' }>;

function scrollKey(state: State, overlay: Scrolling, length: number, key: string): Step {
  const closes = ['escape', 'h', 'left', 'q', '?', 'enter'].includes(key);
  return closes
    ? withoutEffects(closed(state))
    : scrolled(state, overlay, length - overlayHeight(state.size), key);
}

/** By a line, or by ten. */
function scrolled(state: State, overlay: Scrolling, last: number, key: string): Step {
  const command = key === 'space' ? 'page_down' : commandOf(key);
  if (!isMove(command)) return withoutEffects(state);
  const line = overlay.top + STEPS[command](command.startsWith('half_') ? 20 : 10);
  return withoutEffects({ ...state, overlay: { ...overlay, top: Math.max(0, Math.min(line, last)) } });
}

function paletteKey(state: State, overlay: Extract<Overlay, { kind: 'palette' }>, key: string): Step {
  const found = foundBy(state, overlay);
  const select = (selected: number) =>
    withoutEffects({
      ...state,
      overlay: { ...overlay, selected: Math.max(0, Math.min(selected, found.length - 1)) },
    });
  switch (key) {
    case 'escape':
      return withoutEffects(closed(state));
    case 'down':
    case 'ctrl-n':
    case 'tab':
      return select(overlay.selected + 1);
    case 'up':
    case 'ctrl-p':
    case 'shift-tab':
      return select(overlay.selected - 1);
    case 'enter': {
      const chosen = found[overlay.selected];
      const text = overlay.line.text.trim();
      if (chosen === undefined && (overlay.isHere === true || text === '')) return withoutEffects(state);
      if (chosen === undefined) {
        const asked = maskedSearch(text);
        return withNotice(
          { ...state, overlay: { ...overlay, line: selectedLineOf(overlay.line.text) } },
          'bad',
          `Nothing is called “${asked}”. To search for it: find ${asked}`,
        );
      }
      const then = closed(state);
      if ('place' in chosen && chosen.filter === '')
        return followedBy(goHome(then, chosen.place), (there) => runCommand(there, 'filter'));
      if ('place' in chosen) return searched(state, { ...chosen, search: chosen.filter ?? '' });
      if ('href' in chosen) return { state: then, effects: [{ type: 'visit', href: chosen.href }] };
      if ('target' in chosen) return switching(then, chosen.target);
      const step = 'action' in chosen ? begin(then, chosen.action) : runCommand(then, chosen.command);
      // What is typed ahead after a command that failed is for no row.
      const hasFailed = step.effects.length === 0 && step.state.overlay === undefined;
      return hasFailed && step.state.notice?.tone === 'warn'
        ? withoutEffects({ ...step.state, overlay: { ...overlay, line: selectedLineOf(overlay.line.text) } })
        : step;
    }
    default:
      return withLine(state, typed(overlay.line, key));
  }
}

function filterKey(state: State, overlay: Extract<Overlay, { kind: 'filter' }>, key: string): Step {
  const { line, before } = overlay;
  if (key === 'escape') return filteredBy(closed(state), before);
  if (key !== 'enter') return withLine(state, typed(line, key));
  // The access log may record a search, so it runs only when the user enters it.
  return isFilteredByDaemon(state)
    ? searched(state, { search: line.text.trim(), from: overlay })
    : withoutEffects(closed(state));
}

function operatorKey(state: State, question: Extract<Overlay, { kind: 'operator' }>, key: string): Step {
  const { line, from } = question;
  if (key === 'escape') return withoutEffects({ ...state, overlay: from });
  if (key !== 'enter' && key !== 'tab') return withLine(state, typed(line, key));
  const operator = line.text.trim();
  const problem = operatorProblem(operator);
  return problem === undefined
    ? searched({ ...state, operator }, question)
    : withoutEffects({ ...state, overlay: { ...question, problem } });
}

/** Runs the search, or asks for the operator's name first. */
function searched(state: State, wanted: LoggedSearch & { readonly pane?: string }): Step {
  const question = operatorQuestion(state, wanted);
  if (question !== undefined) return withoutEffects({ ...state, overlay: question });
  const { search, place } = wanted;
  const then = closed(state);
  return place === undefined ? filteredBy(then, search) : goHome(then, place, { ...wanted, filter: search });
}

function formKey(state: State, form: Form, key: string): Step {
  const field = form.fields[form.at];
  const waiting = heldInForm(form, key);
  if (waiting !== undefined) return withoutEffects({ ...state, overlay: waiting });
  if (key === 'escape') return withNotice(closed(state), 'dim', 'Nothing was done');
  if (key === 'shift-tab') {
    const before = form.fields.findLastIndex((each, at) => at < form.at && !isIdle(each));
    return withoutEffects(before < 0 ? state : { ...state, overlay: asking(form, before) });
  }
  if (field === undefined) return agreedTo(state, { ...form, form });
  if (key === 'enter' || key === 'tab') return answered(state, form, field);
  if (field.kind === 'text')
    return withLine(state, suggested(field, form.line, key) ?? typed(form.line, key));
  return withoutEffects({
    ...state,
    overlay: { ...form, selected: chosenAfter(key, form.selected, field.choices ?? []) },
  });
}

/** The suggestion before or after the one in the line; undefined for any other key, and without one. */
function suggested({ choices = [] }: FieldDefinition, { text }: TextLine, key: string): TextLine | undefined {
  if (key !== 'down' && key !== 'up') return undefined;
  const at = choices.findIndex(({ value }) => value === text);
  const next = choices.at(key === 'down' ? (at + 1) % choices.length : Math.max(at, 0) - 1);
  return next && lineOf(next.value);
}

function chosenAfter(key: string, selected: number, choices: readonly Choice[]): number {
  const last = Math.max(0, choices.length - 1);
  if (key === 'down' || key === 'j') return Math.min(selected + 1, last);
  if (key === 'up' || key === 'k') return Math.max(selected - 1, 0);
  const number = Number.parseInt(key, 10);
  return number >= 1 && number <= choices.length ? number - 1 : selected;
}

function answered(state: State, form: Form, field: FieldDefinition): Step {
  const value = field.kind === 'text' ? form.line.text.trim() : (field.choices?.[form.selected]?.value ?? '');
  const problem = problemWith(form.action, field, value, form.values);
  if (problem !== undefined) return withoutEffects({ ...state, overlay: { ...form, problem } });
  const values = { ...form.values, [field.name]: value };
  return goneOn(state, { ...form, values }, form.at + 1);
}

/** The problem with the value of a field, by the values before it; undefined if there is none. */
export function problemWith(
  action: Form['action'],
  field: FieldDefinition,
  value: string,
  values: Form['values'],
): string | undefined {
  if (value !== '') return field.problem?.(value);
  const isNeeded = field.isRequired || actions[action].requires?.(field.name, values) === true;
  return isNeeded ? `${field.label} is needed` : undefined;
}

/** Optional, and there is nothing to choose: it isn't asked. */
export const isIdle = ({ kind, isRequired, choices }: FieldDefinition): boolean =>
  kind === 'loaded' && !isRequired && choices?.length === 0;

/**
 * The form of an action that was prepared on an older state. What it offers is loaded and asked for again: another
 * operator's decision, for example, changes the hits to decide on.
 */
export function askedAgain(state: State, form: Form, problem: string): Step {
  const loaded = form.fields.filter(({ kind }) => kind === 'loaded');
  if (loaded.length === 0) return withoutEffects({ ...state, overlay: { ...form, problem } });
  const fields = form.fields.map((field) =>
    field.kind === 'loaded' ? { ...field, choices: undefined } : field,
  );
  const { action, subject, marked } = form;
  return {
    state: { ...state, overlay: { ...asking({ ...form, fields }, 0), problem } },
    effects: loaded.map(({ name }) => ({ type: 'load_choices', action, subject, marked, field: name })),
  };
}

/** Asks for the first field from `at` on that has something to answer; after the last one, the question. */
export function goneOn(state: State, form: Form, at: number): Step {
  const field = form.fields[at];
  if (field === undefined) return agreedTo(state, { ...form, form });
  if (!isIdle(field)) return withoutEffects({ ...state, overlay: asking(form, at) });
  // What was chosen before can't be chosen any longer.
  const { [field.name]: _gone, ...values } = form.values;
  return goneOn(state, { ...form, values }, at + 1);
}

/** Whether this is the value, or the value with its words. */
export function isChoice({ value }: Choice, chosen: string): boolean {
  return value === chosen || (chosen !== '' && value.startsWith(`${chosen} `));
}

/** The first content of a field, by the values before it. */
export function initialOf({ action, values }: Pick<Form, 'action' | 'values'>, field: FieldDefinition) {
  return actions[action].initial?.(field.name, values) ?? field.initial;
}

/** The form at another field, with the value given there before. */
function asking(form: Form, at: number): Form {
  const field = form.fields[at];
  const given = field?.isShownOnce === true ? undefined : form.values[field?.name ?? ''];
  const value = given ?? (field && initialOf(form, field)) ?? '';
  const selected = field?.choices?.findIndex((choice) => isChoice(choice, value)) ?? -1;
  return {
    ...form,
    at,
    line: field?.kind === 'text' ? lineOf(value) : EMPTY_LINE,
    selected: Math.max(0, selected),
    problem: undefined,
  };
}

// Switches to another instance or environment. Nothing on the screen is taken along. Pure.

function switching(state: State, target: Target): Step {
  // The result of an action that is under way belongs to the one it went to.
  if (state.busy !== undefined) return withNotice(state, 'warn', `Still running: ${state.busy}`);
  const name = target.instance ?? state.setup.instance;
  return {
    state: { ...hidden(state), notice: undefined, busy: `Going to ${name}, ${target.environment}` },
    effects: [{ type: 'switch', target }],
  };
}
