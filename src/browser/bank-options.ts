/** Options of `launch` (contract §14). */
import type { CommonOptions } from './options.ts';

export interface LaunchOptions extends CommonOptions {
  /** From your server: the token of an intent (`blit_…`), or of a session on a playbook with `bank_link` (`obtok_…`). */
  readonly authToken: string;
  /** A dialog by default. */
  readonly variant?: 'modal' | 'drawer' | 'inline';
  /** The person agreed: your server sends the token to `POST /bank_links`. */
  readonly onSuccess: (validationToken: string) => void;
  /** The person left before the end. The same token opens the page again until it expires. */
  readonly onExit?: () => void;
  /** Each event by its name, before the callback for it. */
  readonly onEvent?: (name: 'open' | 'auth' | 'success' | 'error' | 'exit') => void;
}

export interface LaunchedBankLink {
  /** Removes the page, and calls nothing. */
  destroy(): void;
}
