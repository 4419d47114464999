/** Props of the components of `kyclone/browser/react` (contract §14). */
import type { InputHTMLAttributes, LabelHTMLAttributes, ReactNode } from 'react';
import type { VerifyBase } from './options.ts';

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
