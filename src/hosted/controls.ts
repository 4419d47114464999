/** The building blocks of every place of the page. */
import { element } from '../form/elements.ts';
import { VaultError } from '../form/errors.ts';
import { createField, type Field } from '../form/field.ts';
import { inputTraits } from '../form/inputs.ts';
import { choicesOf, listChoicesOf } from './choices.ts';
import { checkboxField } from './options.ts';
import { dateOf, phoneOf } from './given.ts';
import { failureOf, sentenceOf } from './refusal-words.ts';
import { nameOf, phrase } from './words.ts';
import type { HostedPage } from './place.ts';

let fieldsMade = 0;

export interface PageFieldOptions {
  readonly identifier: string;
  readonly label?: string;
  readonly hint?: string;
  readonly type?: string;
  readonly value?: unknown;
  readonly choices?: readonly (readonly [string, string])[] | undefined;
  readonly inputMode?: string;
  readonly autocomplete?: string;
}

/** The input of one identifier, with its keyboard type and autofill hint. */
export function pageField(options: PageFieldOptions): Field {
  const { identifier, value } = options;
  const list = listChoicesOf(identifier);
  if (list) {
    return checkboxField({
      identifier,
      choices: list,
      value,
      ...(options.label !== undefined && { label: options.label }),
    });
  }
  const traits = inputTraits(identifier, options.type);
  const isDate = traits.type === 'date';
  const isPhone = traits.type === 'tel';
  const choices = options.choices ?? choicesOf(identifier);
  const hint =
    options.hint ??
    (isDate
      ? phrase('Month, day and year, such as 12/30/1988')
      : isPhone
        ? phrase('With country code, unless it is a number of the United States')
        : undefined);
  const field = createField({
    id: `hosted-${++fieldsMade}`,
    identifier,
    label: options.label ?? nameOf(identifier),
    ...(choices ? { choices, hint: '' } : hint !== undefined && { hint }),
    ...(isDate && { type: 'text', read: (text: string) => dateOf(identifier, text), unreadable: 'DATE' }),
    ...(isPhone && { read: phoneOf }),
    ...(!isDate && options.type !== undefined && { type: options.type }),
    ...(value !== undefined && { value: textOf(value) }),
  });
  const input = field.root.querySelector('input, select, textarea');
  if (isDate) input?.setAttribute('inputmode', 'text');
  if (options.inputMode !== undefined) input?.setAttribute('inputmode', options.inputMode);
  if (options.autocomplete !== undefined) input?.setAttribute('autocomplete', options.autocomplete);
  if (input && !input.hasAttribute('inputmode') && !choices)
    input.setAttribute('inputmode', /^(?:email|tel)$/.test(traits.type) ? traits.type : 'text');
  return field;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.join(', ');
  return JSON.stringify(value);
}

export interface PageFormOptions {
  readonly content?: readonly Node[];
  readonly fields?: () => readonly Field[];
  /** “Continue” without one. */
  readonly button?: string;
  readonly submit: () => Promise<void>;
}

/** A form with one primary action, which can't be submitted again while it runs. */
export function pageForm(
  { failed }: Pick<HostedPage, 'failed'>,
  { content = [], fields = () => [], button: label = phrase('Continue'), submit }: PageFormOptions,
): HTMLFormElement {
  const alert = element('div', { class: 'kyclone-alert', role: 'alert', tabindex: '-1' });
  const button = element('button', { type: 'submit', class: 'kyclone-primary' }, [label]);
  const root = element('form', { novalidate: '', class: 'kyclone-form' }, [alert, ...content, button]);
  let isBusy = false;
  root.addEventListener('submit', (event) => {
    event.preventDefault();
    void run();
  });
  return root;

  async function run(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    root.setAttribute('aria-busy', 'true');
    alert.textContent = '';
    for (const field of fields()) field.fail('');
    try {
      await submit();
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      if (!failed(error)) refuse(error);
    } finally {
      isBusy = false;
      root.removeAttribute('aria-busy');
    }
  }

  /** Marks the refused fields; problems without a field appear above. */
  function refuse(error: VaultError): void {
    const shown = fields();
    const marked: Field[] = [];
    const elsewhere: string[] = [];
    for (const [identifier, reason] of Object.entries(error.context)) {
      const field = shown.find((each) => each.identifier === identifier);
      const sentence = sentenceOf(identifier, reason);
      if (field) {
        field.fail(sentence);
        marked.push(field);
      } else elsewhere.push(`${nameOf(identifier)}: ${sentence}.`);
    }
    if (elsewhere.length > 0) alert.textContent = elsewhere.join(' ');
    else if (marked.length === 0) alert.textContent = failureOf(error.code);
    (marked[0] ?? alert).focus();
  }
}

export function quietButton(text: string, action: () => void, name?: string): HTMLButtonElement {
  const button = element(
    'button',
    { type: 'button', class: 'quiet', ...(name !== undefined && { 'aria-label': name }) },
    [text],
  );
  button.addEventListener('click', action);
  return button;
}
