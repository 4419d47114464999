/** The form of an action, with all of its fields at once. The definition decides what is asked, needed and offered. */
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { isPrintable, printable } from '../kernel/text/terminal-text.ts';
import type { FieldDefinition, Form } from '../tui/state/model.ts';
import { initialOf, isChoice, isIdle } from '../tui/state/overlays.ts';
import { isNeeded } from '../tui/state/pointing.ts';
import { Problem, Button } from './dialog.tsx';

type Values = Readonly<Record<string, string>>;

interface FormProps {
  readonly form: Form;
  readonly onFill: (values: Values) => void;
  readonly onCancel: () => void;
}

export function ActionForm({ form, onFill, onCancel }: FormProps): ReactNode {
  // What was typed before, except what is shown once.
  const [typed, setTyped] = useState<Values>(() =>
    Object.fromEntries(
      form.fields.flatMap(({ name, isShownOnce }) => {
        const value = form.values[name];
        return isShownOnce === true || value === undefined ? [] : [[name, value]];
      }),
    ),
  );
  const element = useRef<HTMLFormElement>(null);
  const values = valuesOf(form, typed);
  const asked = form.fields.filter((field) => !isIdle(field));
  const isLoading = asked.some(({ kind, choices }) => kind === 'loaded' && choices === undefined);
  const wrong = form.problem === undefined ? undefined : form.fields[form.at]?.name;
  useEffect(() => {
    const at = wrong === undefined ? 0 : asked.findIndex(({ name }) => name === wrong);
    element.current?.querySelectorAll<HTMLElement>('input, select')[Math.max(0, at)]?.focus();
    // Only a new problem moves the focus.
  }, [wrong, form.problem]);
  return (
    <form
      ref={element}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isLoading) onFill(values);
      }}
    >
      {asked.map((field, at) => (
        <Field
          key={field.name}
          field={field}
          hasHint={field.hint !== asked[at + 1]?.hint}
          value={values[field.name] ?? ''}
          isNeeded={isNeeded(form, field.name, values)}
          problem={field.name === wrong ? form.problem : undefined}
          onChange={(value) => setTyped((before) => ({ ...before, [field.name]: value }))}
        />
      ))}
      {form.problem !== undefined && wrong === undefined && <Problem text={form.problem} />}
      <div className="buttons">
        <button type="submit" className="is-main" disabled={isLoading}>
          {isLoading ? 'Loading …' : 'Go on'}
        </button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}

/** What is typed or chosen, and for the rest what the form begins with, by the values before each field. */
function valuesOf(form: Form, typed: Values): Values {
  let values: Values = {};
  for (const field of form.fields) {
    const begins = initialOf({ action: form.action, values }, field) ?? '';
    const value = typed[field.name] ?? (field.kind === 'text' ? begins : chosen(field, begins));
    values = { ...values, [field.name]: value };
  }
  return values;
}

/** A list of choices begins with the first. */
function chosen({ choices = [] }: FieldDefinition, wanted: string): string {
  return (choices.find((choice) => isChoice(choice, wanted)) ?? choices[0])?.value ?? '';
}

/** A list of choices cuts what is longer than it is wide. */
const LONGEST_OPTION = 56;
/** Likewise, on a phone. */
const LONGEST_OPTION_OF_PHONE = 38;

interface FieldProps {
  readonly field: FieldDefinition;
  /** Several fields may share a hint, which stands below the last of them. */
  readonly hasHint: boolean;
  readonly value: string;
  readonly isNeeded: boolean;
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}

function Field({ field, hasHint, value, isNeeded: needed, problem, onChange }: FieldProps): ReactNode {
  const id = useId();
  const { label, kind, choices } = field;
  const hint = hasHint ? field.hint : undefined;
  const chosenLabel = kind === 'text' ? '' : (choices?.find((each) => each.value === value)?.label ?? '');
  const described = [hint === undefined ? '' : `${id}-hint`, problem === undefined ? '' : `${id}-problem`]
    .filter((part) => part !== '')
    .join(' ');
  const same = {
    id,
    'aria-describedby': described || undefined,
    'aria-invalid': problem === undefined ? undefined : true,
    'aria-required': needed,
  };
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {!needed && <span className="dim"> (optional)</span>}
      </label>
      {kind === 'text' ? (
        <>
          <input
            {...same}
            value={value}
            autoComplete="off"
            spellCheck={false}
            list={choices === undefined || choices.length === 0 ? undefined : `${id}-list`}
            onChange={(event) => onChange(event.target.value)}
          />
          {choices !== undefined && choices.length > 0 && (
            <datalist id={`${id}-list`}>
              {choices.map((choice) => (
                <option key={choice.value} value={choice.value} />
              ))}
            </datalist>
          )}
        </>
      ) : (
        <select
          {...same}
          value={value}
          disabled={choices === undefined}
          onChange={(event) => onChange(event.target.value)}
        >
          {choices === undefined && <option value="">Loading …</option>}
          {choices?.length === 0 && <option value="">Nothing to choose</option>}
          {choices?.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {printable(choice.label)}
            </option>
          ))}
        </select>
      )}
      {!isPrintable(value) && <p className="hint">{`With its hidden characters: ${printable(value)}`}</p>}
      {chosenLabel.length > LONGEST_OPTION_OF_PHONE && (
        <p className={chosenLabel.length > LONGEST_OPTION ? 'hint' : 'hint of-phone'}>
          {printable(chosenLabel)}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="hint">
          {printable(hint)}
        </p>
      )}
      {problem !== undefined && (
        <div id={`${id}-problem`}>
          <Problem text={problem} />
        </div>
      )}
    </div>
  );
}
