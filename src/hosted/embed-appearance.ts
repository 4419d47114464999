/** How an app styles and opens the page of a hosted flow (contract §14). */
import type { L10n } from './embed-language.ts';

/** The appearance of the page. The error for an invalid value names it. */
export interface Appearance {
  /** Your app's name, shown on the page; at most 60 characters. */
  readonly name?: string;
  /** Your app's logo: a picture as an address `data:image/…`, at most 8,000 characters. Nothing is loaded. */
  readonly logo?: string;
  /** Defaults to the browser's preference. */
  readonly theme?: 'light' | 'dark';
  /** Colours as `#rrggbb`. Text on the accent is black or white, whichever is more readable. */
  readonly accent?: string;
  readonly background?: string;
  readonly text?: string;
  /** Radius of the corners of fields and buttons, in pixels, 0 to 32. */
  readonly radius?: number;
  /** Names of installed fonts, such as `Georgia, serif`. No font is loaded. */
  readonly font?: string;
}

/** Options of both pages. */
export interface PageOptions {
  /** Where the service listens, such as `http://127.0.0.1:4630`. */
  readonly baseUrl: string;
  /** The element that contains the page and grows with it. Without it the page opens in a dialog. */
  readonly container?: Element;
  readonly appearance?: Appearance;
  /** English unless its `language`, else its `locale`, is Spanish. */
  readonly l10n?: L10n;
  /** The person entered the one-time code, which a session requires. */
  readonly onAuth?: () => void;
  /** The person left before the end. The same token opens the page again until it expires. */
  readonly onCancel?: () => void;
  /** The page can't continue, or a bank doesn't respond; `message` is the text that it shows. */
  readonly onError?: (error: { readonly message: string }) => void;
  /** The frame or dialog was removed, for whatever reason. Called once, as the last callback. */
  readonly onClose?: () => void;
}

/** The members of the options that a page in place of the app's takes. */
export type AddressOptions = 'token' | 'baseUrl' | 'appearance' | 'l10n';

export interface OpenPage {
  /** Removes the frame or dialog. Afterwards only `onClose` is called, once. */
  close(): void;
}
