'use client';

/**
 * `kyclone/browser/react`: React components over the client-token endpoints and `init` (contract §14). React is a peer.
 */
import {
  createContext,
  createElement,
  useContext,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
  type ReactElement,
  type InputHTMLAttributes,
  type LabelHTMLAttributes,
  type ReactNode,
} from 'react';
import { vaultClient } from '../form/client.ts';
import { VaultError } from '../form/errors.ts';
import { entryOf } from '../form/field.ts';
import { inputTraits, readValue } from '../form/inputs.ts';
import { labelOf } from '../form/labels.ts';
import { currentBaseUrl } from './base-url.ts';
import { init } from './init.ts';
import type { Component, VerifyBase } from './options.ts';
import { reportTo } from './problems.ts';
import { languageOf, wordsIn } from '../hosted/embed-words.ts';

export { configure } from './configure.ts';
export { ComponentKind, default, init } from './init.ts';
export { VaultError } from '../form/errors.ts';

/** Identifier to value: a text, what JSON can hold, or a file. */
export type VaultValues = Readonly<Record<string, unknown>>;

export interface Vault {
  /** Stores all values, then files. Rejects with a VaultError, whose texts the fields then show. */
  save(values: VaultValues): Promise<void>;
  readonly isBusy: boolean;
  /** The problem of each refused identifier. */
  readonly errors: Readonly<Record<string, string>>;
}

export interface ProviderProps {
  /** A client token (`cttok_…`), from your server. */
  readonly authToken: string;
  readonly children?: ReactNode;
}

export interface FormProps {
  /** Gets the values in place of the vault; `useVault().save` stores them. */
  readonly onSubmit?: (values: VaultValues) => void | Promise<void>;
  /** Called after a save without `onSubmit`. */
  readonly onSaved?: () => void;
  /** Gets a sentence about each refusal, also about one that no field shows; without it the console does. */
  readonly onError?: (message: string) => void;
  readonly defaultValues?: VaultValues;
  readonly className?: string;
  readonly children?: ReactNode;
}

export interface FieldProps {
  /** The identifier. */
  readonly name: string;
  readonly className?: string;
  readonly children?: ReactNode;
}

export type LabelProps = Omit<LabelHTMLAttributes<HTMLLabelElement>, 'htmlFor'>;

export type InputProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'name'>;

export interface FieldErrorsProps {
  readonly className?: string;
}

export interface VerifyButtonProps extends VerifyBase {
  readonly label?: string;
  readonly dialogVariant?: 'modal' | 'drawer';
  readonly onClick?: () => void;
  readonly className?: string;
}

/** What the parts of a form use besides. */
interface Attempts extends Vault {
  /** Runs the action, and shows its refusal beside the fields. Rejects as the action does. */
  attempt(action: () => void | Promise<void>): Promise<void>;
}

const VaultContext = createContext<Attempts | undefined>(undefined);
const DefaultsContext = createContext<VaultValues>({});
const FieldContext = createContext<{ readonly name: string; readonly id: string } | undefined>(undefined);

/** Holds the client token for everything inside. */
export function Provider({ authToken, children }: ProviderProps): ReactElement {
  const [errors, setErrors] = useState<Vault['errors']>({});
  const [isBusy, setIsBusy] = useState(false);
  const vault = useMemo<Attempts>(() => {
    async function attempt(action: () => void | Promise<void>): Promise<void> {
      setIsBusy(true);
      setErrors({});
      try {
        await action();
      } catch (error) {
        if (error instanceof VaultError) setErrors(error.context);
        throw error;
      } finally {
        setIsBusy(false);
      }
    }
    return { errors, isBusy, attempt, save: (values) => attempt(() => store(authToken, values)) };
  }, [authToken, errors, isBusy]);
  return createElement(VaultContext.Provider, { value: vault }, children);
}

/** The vault of the provider. Throws outside of one. */
export function useVault(): Vault {
  return useAttempts();
}

function useAttempts(): Attempts {
  return inside(useContext(VaultContext), 'Provider');
}

/** A form whose values are stored at Submit, or handed to `onSubmit`. */
export function Form({
  onSubmit,
  onSaved,
  onError,
  defaultValues = {},
  children,
  className,
}: FormProps): ReactElement {
  const vault = useAttempts();
  const submitted = onSubmit ?? ((values: VaultValues) => vault.save(values));
  async function submit(form: HTMLFormElement): Promise<void> {
    if (vault.isBusy) return;
    try {
      await vault.attempt(() => submitted(valuesIn(form)));
      if (!onSubmit) onSaved?.();
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      await reportTo(onError, error);
    }
  }
  const form = createElement(
    'form',
    {
      className,
      noValidate: true,
      autoComplete: 'off',
      'aria-busy': vault.isBusy,
      onSubmit(event: { preventDefault(): void; readonly currentTarget: HTMLFormElement }) {
        event.preventDefault();
        void submit(event.currentTarget);
      },
    },
    children,
  );
  return createElement(DefaultsContext.Provider, { value: defaultValues }, form);
}

/** One identifier: its label, input and error are inside. */
export function Field({ name, children, className }: FieldProps): ReactElement {
  const id = useId();
  const field = useMemo(() => ({ name, id }), [name, id]);
  return createElement(
    FieldContext.Provider,
    { value: field },
    createElement('div', { className }, children),
  );
}

/** The label of the field, by default made from its identifier. */
export function Label({ children, ...more }: LabelProps): ReactElement {
  const { name, id } = useField();
  return createElement('label', { ...more, htmlFor: id }, children ?? labelOf(name));
}

/**
 * The input of the field, of the type that suits its identifier. It has no name, so no address ever contains its value.
 */
export function Input(props: InputProps): ReactElement {
  const { name, id } = useField();
  const { errors } = useVault();
  const defaults = useContext(DefaultsContext);
  const { type, autocomplete, inputMode, accept } = inputTraits(name, props.type);
  const isInvalid = errors[name] !== undefined;
  const initial = defaults[name];
  return createElement('input', {
    ...(typeof initial === 'string' && { defaultValue: initial }),
    autoComplete: autocomplete,
    inputMode,
    accept,
    spellCheck: false,
    ...props,
    id,
    type: type === 'list' || type === 'json' || type === 'number' ? 'text' : type,
    'data-vaulted': name,
    'data-conversion': type,
    'aria-invalid': isInvalid,
    'aria-describedby': isInvalid ? `${id}-error` : undefined,
  });
}

/** The refusal of the field's value by the service; nothing while there is none. */
export function FieldErrors({ className }: FieldErrorsProps): ReactElement | null {
  const { name, id } = useField();
  const error = useVault().errors[name];
  if (error === undefined) return null;
  return createElement('p', { id: `${id}-error`, role: 'alert', className }, error);
}

/** A button that opens `verify` in a dialog. */
export function VerifyButton({
  label,
  dialogVariant = 'modal',
  onClick,
  className,
  ...options
}: VerifyButtonProps): ReactElement {
  const opened = useRef<Component | undefined>(undefined);
  useEffect(() => () => opened.current?.destroy(), []);
  function open(): void {
    onClick?.();
    opened.current?.destroy();
    opened.current = init({ ...options, kind: 'verify', variant: dialogVariant });
    void opened.current.render();
  }
  return createElement(
    'button',
    { type: 'button', className, onClick: open },
    label ?? wordsIn(languageOf(options.l10n ?? {})).verify,
  );
}

/** The components under one name. */
export const Fp: {
  readonly Provider: typeof Provider;
  readonly Form: typeof Form;
  readonly Field: typeof Field;
  readonly Label: typeof Label;
  readonly Input: typeof Input;
  readonly FieldErrors: typeof FieldErrors;
} = { Provider, Form, Field, Label, Input, FieldErrors };

function useField(): { readonly name: string; readonly id: string } {
  return inside(useContext(FieldContext), 'Field');
}

function inside<T>(found: T | undefined, parent: string): T {
  if (found === undefined) throw new Error(`kyclone: this component stands in no ${parent}`);
  return found;
}

/** Files are sent one by one, after the values. */
async function store(token: string, values: VaultValues): Promise<void> {
  const client = vaultClient({ baseUrl: currentBaseUrl(), token });
  const entries = Object.entries(values);
  const texts = entries.filter(([, value]) => !(value instanceof Blob));
  if (texts.length > 0) await client.write(Object.fromEntries(texts));
  for (const [identifier, value] of entries) {
    if (value instanceof Blob) await client.upload(identifier, value);
  }
}

/** What was typed or chosen, by identifier; empty inputs are left out. Throws VaultError for what can't be sent. */
function valuesIn(form: HTMLFormElement): VaultValues {
  const values: Record<string, unknown> = {};
  const unreadable: Record<string, string> = {};
  for (const input of form.querySelectorAll<HTMLInputElement>('input[data-vaulted]')) {
    const { vaulted = '', conversion = 'text' } = input.dataset;
    const entry = entryOf(input, (text) => readValue(conversion, text));
    if (entry?.kind === 'unreadable') unreadable[vaulted] = entry.message;
    else if (entry) values[vaulted] = entry.kind === 'file' ? entry.file : entry.value;
  }
  const problems = Object.entries(unreadable).map(([identifier, message]) => `${identifier} ${message}`);
  if (problems.length === 0) return values;
  throw new VaultError('invalid_request', `Nothing was sent: ${problems.join(', ')}`, {
    context: unreadable,
  });
}
