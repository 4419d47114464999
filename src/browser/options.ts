/** The options of `init`, by kind of component (contract §14). */
import type { L10n } from '../hosted/embed-language.ts';

export interface Component {
  /** Shows the component. Problems are reported to `onError`. */
  render(): Promise<void>;
  /** Removes it, with what was typed and revealed, and calls nothing. */
  destroy(): void;
}

/** Settings that a page has are applied; of others one warning in the console lists the names. */
export interface Appearance {
  readonly theme?: 'light' | 'dark';
  /** Your app's name and logo: see `kyclone/onboarding`. */
  readonly name?: string;
  readonly logo?: string;
  readonly variables?: Readonly<Record<string, string | number | undefined>>;
  readonly rules?: Readonly<
    Record<string, Readonly<Record<string, string | number | undefined>> | undefined>
  >;
  /** Ignored with the warning: no font is loaded. */
  readonly fontSrc?: string;
}

export interface CommonOptions {
  readonly appearance?: Appearance;
  readonly l10n?: L10n;
  /** The id of the element that a component is put into. */
  readonly containerId?: string;
  /** A sentence about what doesn't work, within five seconds. */
  readonly onError?: (message: string) => void;
}

/** What the kinds with a hosted page have. */
export interface FlowBase extends CommonOptions {
  readonly options?: {
    /** Keeps the last page until the person closes it. */
    readonly showCompletionPage?: boolean;
    /** false leaves out the logo of `appearance`. */
    readonly showLogo?: boolean;
  };
  /** The person entered the one-time code. There is no validation token before the end. */
  readonly onAuth?: () => void;
  /** The person finished: your server validates the token. */
  readonly onComplete?: (validationToken: string) => void;
  /** The person left before the end. The same token opens the flow again until it expires. */
  readonly onCancel?: () => void;
  /** The person closed the component, or it closed at the end. Called once, as the last callback. */
  readonly onClose?: () => void;
}

/** Identifiers with values, such as `id.email`. */
export type BootstrapData = Readonly<Record<string, unknown>>;

export interface VerifyBase extends FlowBase {
  /** The token of a session or user (`obtok_…`), from your server. */
  readonly authToken?: string;
  /** The key of a playbook, without a server: each `render` starts a session. */
  readonly publicKey?: string;
  /** Fills in the page. What your server gave when it made the token stays. */
  readonly bootstrapData?: BootstrapData;
  /** The older name of `bootstrapData`. */
  readonly userData?: BootstrapData;
  /** In the sandbox: answers the last step of the page in place of the person. */
  readonly sandboxOutcome?: {
    readonly overallOutcome?: 'pass' | 'fail' | 'manual_review' | 'step_up' | 'use_rules_outcome';
    /** `fail` fails the run, unless there is an `overallOutcome`. */
    readonly documentOutcome?: 'pass' | 'fail' | 'real';
  };
  /** In the sandbox: its prefix chooses the outcome, as that of a user's sandbox id does. */
  readonly sandboxId?: string;
}

/** `verify` without the parts that an app draws by itself. */
export interface ComponentsOptions extends VerifyBase {
  readonly kind: 'components';
  readonly variant?: 'modal' | 'drawer';
}

/** The token decides what the page asks: `POST /users/{fp_id}/token`. */
export interface AuthOptions extends FlowBase {
  readonly kind: 'auth' | 'update_login_methods';
  readonly authToken?: string;
  /** Fills in the e-mail address or phone number. */
  readonly bootstrapData?: BootstrapData;
  readonly userData?: BootstrapData;
  readonly variant?: 'modal' | 'drawer';
}

export interface VerifyOptions extends VerifyBase {
  readonly kind: 'verify';
  /** A dialog by default. */
  readonly variant?: 'modal' | 'drawer' | 'inline';
}

export interface VerifyButtonOptions extends VerifyBase {
  readonly kind: 'verify-button';
  readonly containerId: string;
  readonly variant?: 'inline';
  readonly label?: string;
  readonly dialogVariant?: 'modal' | 'drawer';
  readonly onClick?: () => void;
}

export interface FormRef {
  /** Stores what was typed, as the button Save does. Rejects with a VaultError after a refusal. */
  save(): Promise<void>;
}

export interface FormOptions extends CommonOptions {
  readonly kind: 'form';
  /** A client token (`cttok_…`), from your server. */
  readonly authToken: string;
  /** A dialog by default. */
  readonly variant?: 'modal' | 'drawer' | 'inline';
  readonly title?: string;
  readonly options?: { readonly hideButtons?: boolean; readonly hideCancelButton?: boolean } & Readonly<
    Record<string, unknown>
  >;
  readonly getRef?: (ref: FormRef) => void;
  /** All that was typed is stored. */
  readonly onComplete?: () => void;
  readonly onCancel?: () => void;
  readonly onClose?: () => void;
}

export interface RenderOptions extends CommonOptions {
  readonly kind: 'render';
  /** A client token (`cttok_…`) that permits decryption and has a reason. */
  readonly authToken: string;
  readonly containerId: string;
  /** The identifier. */
  readonly id: string;
  readonly variant?: 'inline';
  readonly label?: string;
  readonly canCopy?: boolean;
  readonly defaultHidden?: boolean;
  readonly showHiddenToggle?: boolean;
}

export type Options =
  | VerifyOptions
  | VerifyButtonOptions
  | ComponentsOptions
  | AuthOptions
  | FormOptions
  | RenderOptions;
