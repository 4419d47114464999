/** What the functions of `kyclone/bank-link` take and return (contract §14). */
import type { Appearance } from './embed-appearance.ts';

export interface BankLinkOptions {
  /**
   * From your server: the token of an intent (`blit_…`), or of a session on a playbook with `bank_link` (`obtok_…`).
   */
  readonly token: string;
  /** Where the service listens, such as `http://127.0.0.1:4010`. */
  readonly baseUrl: string;
  /** The page is put in here, as high as it is; without one it opens in a dialog over yours. */
  readonly container?: Element;
  readonly appearance?: Appearance;
  /** The person gave the one-time code, which a session asks for. */
  readonly onAuth?: () => void;
  /** The person agreed: your server gives the token to `POST /bank_links`. A dialog closes by itself. */
  readonly onSuccess: (result: { readonly intent_token: string }) => void;
  /** The person left before the end. The same token opens the page again until it expires. */
  readonly onCancel?: () => void;
  /** The page shows why it can't go on, or that the bank doesn't answer; `message` is what it says. */
  readonly onError?: (error: { readonly message: string }) => void;
  /** The frame or dialog is gone, for whatever reason. Called once, last. */
  readonly onClose?: () => void;
}

export interface OpenBankLink {
  /** Takes the frame or dialog away. Nothing is called afterwards but `onClose`, once. */
  close(): void;
}

export interface BankLinkRedirect {
  /** As in `BankLinkOptions`, of an intent or session that was made with `redirect_url`. */
  readonly token: string;
  readonly baseUrl: string;
  readonly appearance?: Appearance;
}

export interface BankLinkReturn {
  /** The person agreed: your server gives the token to `POST /bank_links`. */
  readonly onSuccess: (result: { readonly intent_token: string }) => void;
  /** The person left before the end. */
  readonly onCancel?: () => void;
}
