/** Lists of visible options, of which the person chooses one or any number. */
import { EMPTY_LISTS } from '../contract/facts/identifier-words.ts';
import { element } from '../form/elements.ts';
import type { Field } from '../form/field.ts';
import type { Choices } from './choices.ts';
import { nameOf, phrase } from './words.ts';

let groupsMade = 0;
let optionsMade = 0;

type Option = readonly [value: string, name: string, line?: string];

interface Row {
  readonly input: HTMLInputElement;
  readonly root: HTMLElement;
}

/**
 * The accessible name is the option's name alone, so that tests and screen readers can find it; its line is the
 * description.
 */
function optionRow(
  [value, text, line]: Option,
  { type, name, isChosen }: { type: 'radio' | 'checkbox'; name: string; isChosen: boolean },
): Row {
  const id = `hosted-option-${++optionsMade}`;
  const input = element('input', {
    type,
    name,
    value,
    autocomplete: 'off',
    'aria-labelledby': id,
    ...(line !== undefined && { 'aria-describedby': `${id}-line` }),
  });
  input.checked = isChosen;
  const words = element('span', {}, [
    element('span', { id }, [text]),
    ...(line === undefined ? [] : [element('small', { id: `${id}-line` }, [line])]),
  ]);
  return { input, root: element('label', { class: 'choice' }, [input, words]) };
}

/** Options with a line of text each, of which one is chosen. */
export function radioChoices(
  legend: string,
  options: readonly Option[],
  chosen: string,
): { readonly root: HTMLFieldSetElement; value(): string } {
  const name = `hosted-choice-${++groupsMade}`;
  const rows = options.map((option) =>
    optionRow(option, { type: 'radio', name, isChosen: option[0] === chosen }),
  );
  const root = element('fieldset', { class: 'choices' }, [
    element('legend', {}, [legend]),
    ...rows.map((row) => row.root),
  ]);
  return { root, value: () => rows.find(({ input }) => input.checked)?.input.value ?? '' };
}

/** The field of an identifier with a list of words. An empty choice is a value only where none may apply. */
export function checkboxField({
  identifier,
  choices,
  ...options
}: {
  identifier: string;
  choices: Choices;
  value?: unknown;
  label?: string;
}): Field {
  const name = `hosted-choice-${++groupsMade}`;
  const label = options.label ?? nameOf(identifier);
  const given: readonly unknown[] = Array.isArray(options.value) ? options.value : [options.value];
  const rows = choices.map((choice) =>
    optionRow(choice, { type: 'checkbox', name, isChosen: given.includes(choice[0]) }),
  );
  const hintId = `${name}-hint`;
  const error = element('p', { id: `${name}-error`, class: 'kyclone-error' });
  const root = element('fieldset', { class: 'choices' }, [
    element('legend', {}, [label]),
    element('p', { id: hintId, class: 'kyclone-hint' }, [
      phrase(EMPTY_LISTS.has(identifier) ? 'Choose what applies, or nothing' : 'Choose one or more'),
    ]),
    ...rows.map((row) => row.root),
    error,
  ]);
  root.addEventListener('change', () => fail(''));
  fail('');
  const chosen = () => rows.flatMap(({ input }) => (input.checked ? [input.value] : []));
  return {
    identifier,
    label,
    root,
    fail,
    entry() {
      const value = chosen();
      if (value.length === 0 && !EMPTY_LISTS.has(identifier)) return undefined;
      return { kind: 'value', value, raw: value.join() };
    },
    clear() {
      for (const { input } of rows) input.checked = false;
    },
    // A list of choices holds no value to reveal.
    reveal: () => undefined,
    hide: () => undefined,
    focus: () => rows[0]?.input.focus(),
  };

  function fail(message: string): void {
    error.textContent = message;
    error.hidden = message === '';
    root.setAttribute('aria-describedby', message === '' ? hintId : `${hintId} ${error.id}`);
  }
}
