/**
 * One identifier on the page: its label, its input, the service's message about it and, on request, its value. Inputs
 * have no name, so that a browser never puts them into an address, even when scripts fail.
 */
import { element } from './elements.ts';
import { inputTraits, readValue, type InputTraits } from './inputs.ts';
import { reveal, type RevealedField } from './revealed.ts';

/** The content of an input; comparing `raw` later shows whether it has changed. */
export type Entry =
  | { readonly kind: 'value'; readonly value: unknown; readonly raw: string }
  | { readonly kind: 'file'; readonly file: File; readonly raw: string }
  | { readonly kind: 'unreadable'; readonly message: string };

export interface FieldOptions {
  /** Unique on the page. */
  readonly id: string;
  readonly identifier: string;
  readonly label: string;
  readonly type?: string;
  readonly hint?: string;
  /** Has no input, only the value to reveal. */
  readonly isReadOnly?: boolean;
  /** Values to choose from, each with its name; makes the input a list. */
  readonly choices?: readonly (readonly [value: string, name: string])[];
  /** The initial value of the input. */
  readonly value?: string;
  /** Converts the text to a value. Undefined for a text that can't be sent; `unreadable` is then the message. */
  readonly read?: (text: string) => unknown;
  readonly unreadable?: string;
}

export interface Field {
  readonly identifier: string;
  readonly label: string;
  readonly root: HTMLElement;
  /** What was typed or chosen; undefined for an empty input. */
  entry(): Entry | undefined;
  /** Empties the input; with an entry, only if the input still has it. */
  clear(entry?: Entry): void;
  /** Shows an error message; an empty one hides it. */
  fail(message: string): void;
  reveal(value: unknown): void;
  hide(): void;
  focus(): void;
}

export function createField(options: FieldOptions): Field {
  const { id, identifier, label, isReadOnly = false } = options;
  const traits = inputTraits(identifier, options.type);
  const hint = options.hint ?? traits.hint;
  const labelled = { class: 'kyclone-label', 'data-identifier': identifier };
  const error = element('p', { id: `${id}-error`, class: 'kyclone-error' });
  const value = element('div', { class: 'kyclone-value', 'aria-live': 'polite' });
  const root = element('div', { class: 'kyclone-field' });
  const input = isReadOnly ? undefined : createInput(id, traits, options.choices);
  let revealed: RevealedField | undefined;

  if (input) {
    root.append(element('label', { ...labelled, for: id }, [label]));
    if (hint !== undefined) {
      root.append(element('p', { id: `${id}-hint`, class: 'kyclone-hint' }, [hint]));
    }
    root.append(input, error, value);
    if (options.value !== undefined) input.value = options.value;
    input.addEventListener('input', () => fail(''));
  } else {
    root.setAttribute('role', 'group');
    root.setAttribute('aria-labelledby', `${id}-label`);
    root.append(element('span', { ...labelled, id: `${id}-label` }, [label]), error, value);
  }
  fail('');
  return { identifier, label, root, entry, clear, fail, reveal: show, hide, focus };

  function entry(): Entry | undefined {
    const read = options.read ?? ((text: string) => readValue(traits.type, text));
    return input && entryOf(input, read, options.unreadable);
  }

  function clear(sent?: Entry): void {
    if (!input || (sent && 'raw' in sent && sent.raw !== input.value)) return;
    input.value = '';
  }

  function fail(message: string): void {
    const described = [
      ...(input && hint !== undefined ? [`${id}-hint`] : []),
      ...(message === '' ? [] : [error.id]),
    ];
    error.textContent = message;
    error.hidden = message === '';
    input?.setAttribute('aria-invalid', String(message !== ''));
    (input ?? root).setAttribute('aria-describedby', described.join(' '));
  }

  function show(stored: unknown): void {
    hide();
    const button = element('button', { type: 'button', 'aria-label': `Hide ${label}` }, ['Hide']);
    button.addEventListener('click', () => {
      hide();
      focus();
    });
    revealed = reveal({ identifier, label, value: stored });
    value.append(revealed.element, ' ', button);
  }

  function hide(): void {
    revealed?.release();
    revealed = undefined;
    value.textContent = '';
  }

  function focus(): void {
    if (!input) root.tabIndex = -1;
    (input ?? root).focus();
  }
}

/** What was typed or chosen; undefined for an empty input. `read` returns undefined for a text that can't be sent. */
export function entryOf(
  input: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement,
  read: (text: string) => unknown,
  unreadable = 'must be JSON',
): Entry | undefined {
  // A half-typed date reads as empty. It must not be left out, since the person meant to send it.
  if (input.validity.badInput) return { kind: 'unreadable', message: 'is not complete' };
  const raw = input.value;
  if (raw === '') return undefined;
  const file = 'files' in input ? input.files?.[0] : undefined;
  if (file) return { kind: 'file', file, raw };
  const value = read(raw);
  return value === undefined ? { kind: 'unreadable', message: unreadable } : { kind: 'value', value, raw };
}

function createInput(
  id: string,
  { type, inputMode, autocomplete, accept }: InputTraits,
  choices?: FieldOptions['choices'],
): HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement {
  if (choices) {
    const options = [['', ''] as const, ...choices].map(([value, name]) =>
      element('option', { value }, [name]),
    );
    return element('select', { id, autocomplete }, options);
  }
  const isLong = type === 'json' || type === 'textarea';
  return element(isLong ? 'textarea' : 'input', {
    id,
    autocomplete,
    // Names and addresses may be written from right to left.
    dir: 'auto',
    ...(!isLong && { type: type === 'list' || type === 'number' ? 'text' : type }),
    ...(inputMode !== undefined && { inputmode: inputMode }),
    ...(accept !== undefined && { accept }),
    autocapitalize: 'off',
    // Some browsers send spell-checked text to their vendors.
    spellcheck: 'false',
  });
}
