/** Overlays as lines of text: help, the palette, a filter, a form, a question. Pure. */
import { maskedSearch } from '../nouns/search/facts.ts';
import { printable } from '../kernel/text/terminal-text.ts';
import { actions } from './actions/registry.ts';
import { helpLines } from './state/key-map.ts';
import { hintByKeys, TYPED_BEFORE } from './state/overlay.ts';
import type { Form, OperatorQuestion, Overlay, State, TextLine } from './state/model.ts';
import { OPERATOR_HINT, OPERATOR_LABEL, SEARCH_IS_LOGGED } from './state/operator.ts';
import { found as foundBy } from './state/palette.ts';
import { currentPane, lineOfOverlay } from './state/reading.ts';
import { rowLines } from './state/row-text.ts';
import { aboutText } from './state/subject-text.ts';

type Palette = Extract<Overlay, { kind: 'palette' }>;

export function announcedOverlay(before: Overlay | undefined, after: State): string[] {
  const { overlay } = after;
  if (before === overlay) return [];
  const entered = enteredText(before, after);
  return [...(entered === undefined ? [] : [entered]), ...openedLines(before, overlay, after)];
}

/** The typed text, once the user has finished it. */
function enteredText(before: Overlay | undefined, state: State): string | undefined {
  const after = state.overlay;
  const isKept = before?.kind === 'filter' && currentPane(state).filter === before.line.text;
  if (isKept && after === undefined && before.line.text !== '')
    return `Typed: ${printable(maskedSearch(before.line.text))}`;
  if (before?.kind === 'operator' && after === undefined && state.operator !== undefined)
    return `${OPERATOR_LABEL}: ${printable(state.operator)}`;
  if (before?.kind !== 'form') return undefined;
  const field = before.fields[before.at];
  const isSent = after === undefined && state.busy !== undefined;
  const isLeft = isSent || after?.kind === 'confirm' || (after?.kind === 'form' && after.at > before.at);
  if (field === undefined || !isLeft) return undefined;
  const value = isSent ? givenLast(before) : after?.values[field.name];
  if (value === undefined || value === '') return `${field.label}: nothing`;
  if (field.isShownOnce === true) return `${field.label}: ${TYPED_BEFORE}`;
  const label = field.choices?.find((choice) => choice.value === value)?.label ?? value;
  return `${field.label}: ${printable(label)}`;
}

function givenLast({ fields, at, line, selected }: Form): string | undefined {
  const field = fields[at];
  return field?.kind === 'text' ? line.text.trim() : field?.choices?.[selected]?.value;
}

function openedLines(before: Overlay | undefined, overlay: Overlay | undefined, after: State): string[] {
  if (overlay === undefined) {
    const isSilent =
      before === undefined || before.kind === 'filter' || after.notice !== undefined || after.busy;
    return isSilent ? [] : ['Closed'];
  }
  switch (overlay.kind) {
    case 'palette':
      return paletteLines(before?.kind === 'palette' ? before : undefined, overlay, after);
    case 'filter':
      return before?.kind === 'filter' ? editedLines(before.line, overlay.line) : filterLines(overlay.line);
    case 'operator':
      return operatorLines(before?.kind === 'operator' ? before : undefined, overlay);
    case 'form':
      return formLines(before?.kind === 'form' ? before : undefined, overlay);
    default:
      return before?.kind === overlay.kind ? [] : wholeText(overlay, after);
  }
}

type Whole = Exclude<Overlay, { kind: 'palette' | 'filter' | 'operator' | 'form' }>;

/** What is read once, when it opens. */
function wholeText(overlay: Whole, state: State): string[] {
  switch (overlay.kind) {
    case 'help':
      return helpText(state.setup.isReadonly);
    case 'row':
      return [...rowLines(state).map((line) => line.trim()), 'escape closes'];
    case 'results':
      return [
        printable(overlay.title),
        ...overlay.results.map(({ isDone, text }) => `${isDone ? 'done' : 'failed'}: ${printable(text)}`),
        'escape closes',
      ];
    case 'secret':
      return [
        `${printable(overlay.title)}, in the scrollback of this terminal until it is cleared:`,
        printable(overlay.secret),
        ...overlay.lines.map(printable),
        'y copies it, escape closes it',
      ];
    case 'confirm':
      return [
        `${actions[overlay.action].label}: ${aboutText(overlay)}`,
        ...overlay.lines.map(printable),
        'y does it, n does nothing',
      ];
  }
}

function helpText(isReadonly: boolean): string[] {
  const lines = helpLines(isReadonly).map((line) =>
    'heading' in line
      ? `${line.heading}:`
      : `${line.keys.split(' ').map(keyName).join(' or ')}: ${line.says}`,
  );
  return ['Keys', ...lines, 'escape closes'];
}

const KEY_NAMES: Readonly<Record<string, string>> = {
  ':': 'colon',
  '/': 'slash',
  '?': 'question mark',
  '[': 'left bracket',
  ']': 'right bracket',
};

/** Many screen readers skip punctuation, and read capitals like small letters. */
function keyName(key: string): string {
  return KEY_NAMES[key] ?? (/^[A-Z]$/.test(key) ? `shift ${key}` : key);
}

function paletteLines(before: Palette | undefined, palette: Palette, state: State): string[] {
  const opened =
    before === undefined ? ['Palette: type a part of a name, up and down choose, enter does it'] : [];
  const edited = before === undefined ? [] : editedLines(before.line, palette.line);
  const selected = selectedText(palette, state);
  const isNews = before === undefined || selected !== selectedText(before, state);
  return [...opened, ...edited, ...(isNews ? [selected] : [])];
}

function selectedText(palette: Palette, state: State): string {
  const { selected } = palette;
  const found = foundBy(state, palette);
  const entry = found[selected];
  return entry === undefined ? '' : `${selected + 1} of ${found.length}: ${entry.name}, ${entry.says}`;
}

function filterLines({ text }: TextLine): string[] {
  const now = text === '' ? [] : [`now: ${printable(text)}`];
  return ['Filter: type, enter keeps it, escape cancels', ...now];
}

function operatorLines(before: OperatorQuestion | undefined, question: OperatorQuestion): string[] {
  const { line, problem } = question;
  const problems = problem !== undefined && before?.problem !== problem ? [problem] : [];
  if (before !== undefined) return [...problems, ...editedLines(before.line, line)];
  return [SEARCH_IS_LOGGED, `${OPERATOR_LABEL}: type, enter searches, escape goes back`, OPERATOR_HINT];
}

function formLines(before: Form | undefined, form: Form): string[] {
  const { fields, at, line, selected, problem } = form;
  const field = fields[at];
  const opened = before === undefined ? [`${actions[form.action].label}: ${aboutText(form)}`] : [];
  if (field === undefined) return opened;
  const problems = problem !== undefined && before?.problem !== problem ? [problem] : [];
  const { choices } = field;
  if (before === undefined || before.at !== at || before.fields[at]?.choices !== choices) {
    return [...opened, ...problems, ...askedLines(field, line, selected)];
  }
  if (field.kind === 'text') return [...problems, ...editedLines(before.line, line)];
  const choice = choices?.[selected];
  return choice === undefined || before.selected === selected
    ? problems
    : [...problems, `${selected + 1} of ${choices?.length ?? 0}: ${printable(choice.label)}`];
}

function askedLines(field: Form['fields'][number], { text }: TextLine, selected: number): string[] {
  const { label, kind, choices, isRequired } = field;
  const hint = hintByKeys(field);
  const asked = `${label}${isRequired ? '' : ', may be left empty'}`;
  const hints = hint === undefined ? [] : [printable(hint)];
  if (kind === 'text') {
    const now = text === '' ? [] : [`now: ${printable(text)}`];
    const known = (choices ?? []).map(({ label: reason }) => `known: ${printable(reason)}`);
    return [`${asked}: type, enter goes on, escape cancels`, ...hints, ...known, ...now];
  }
  if (choices === undefined) return [asked, ...hints, 'Loading the choices'];
  const chosen = choices[selected];
  return [
    `${asked}: a number or up and down choose, enter goes on, escape cancels`,
    ...hints,
    ...choices.map((choice, index) => `${index + 1} ${printable(choice.label)}`),
    ...(chosen === undefined
      ? ['There is nothing to choose from']
      : [`Chosen: ${selected + 1} ${printable(chosen.label)}`]),
  ];
}

/**
 * The text typed at the end of the line, to be echoed in place as a terminal would. Empty for any other change, which
 * gets a line of its own.
 */
export function echoOf(before: Overlay | undefined, after: Overlay | undefined): string {
  const was = lineOfOverlay(before);
  const line = lineOfOverlay(after);
  if (was === undefined || line === undefined || before?.kind !== after?.kind) return '';
  if (before?.kind === 'form' && after?.kind === 'form' && before.at !== after.at) return '';
  return appended(was, line);
}

function appended(was: TextLine, line: TextLine): string {
  const isAtEnd = line.cursor === Array.from(line.text).length && was.cursor === Array.from(was.text).length;
  if (!isAtEnd || !line.text.startsWith(was.text)) return '';
  const more = line.text.slice(was.text.length);
  return more === ' ' ? more : more === '' ? '' : printable(more);
}

/** Any change other than typing at the end: the deleted text, the character under the cursor, or the whole line. */
function editedLines(was: TextLine, line: TextLine): string[] {
  if (was === line || appended(was, line) !== '') return [];
  if (was.text === line.text) {
    if (was.cursor === line.cursor) return [];
    const at = Array.from(line.text)[line.cursor];
    return [at === undefined ? 'at the end' : `at ${at === ' ' ? 'space' : printable(at)}`];
  }
  return [line.text === '' ? 'now empty' : `now: ${printable(line.text)}`];
}
