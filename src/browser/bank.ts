/** Links a bank, with the face of the service's own entry for it (contract §14). */
import { configure } from './configure.ts';
import { BANK_PAGE } from '../hosted/embed-address.ts';
import { openFrame } from '../hosted/embed-frame.ts';
import { reportTo } from './problems.ts';
import { containerOf, settingOf } from './setting.ts';
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

/** Opens the page for linking a bank. Nothing throws: `onError` gets a sentence about each problem. */
export function launch(options: LaunchOptions): LaunchedBankLink {
  const { authToken: token, variant = 'modal', onSuccess, onExit, onEvent, onError } = options;
  let close = (): void => undefined;
  let isDestroyed = false;
  let hasEnded = false;
  const isInline = variant === 'inline';
  try {
    const { baseUrl, appearance, l10n } = settingOf(options);
    const frame = openFrame(BANK_PAGE, {
      token,
      baseUrl,
      appearance,
      l10n,
      container: isInline ? containerOf(options) : undefined,
      variant: isInline ? undefined : variant,
      onReady: () => onEvent?.('open'),
      onAuth: () => onEvent?.('auth'),
      onComplete({ validation_token }) {
        hasEnded = true;
        onEvent?.('success');
        onSuccess(String(validation_token));
        if (isInline) frame.close();
      },
      onCancel: () => {
        if (isInline) frame.close();
      },
      onError({ message }) {
        onEvent?.('error');
        onError?.(message);
      },
      onClose() {
        if (isDestroyed || hasEnded) return;
        onEvent?.('exit');
        onExit?.();
      },
    });
    close = () => frame.close();
  } catch (error) {
    void reportTo(onError, error);
  }
  return {
    destroy() {
      isDestroyed = true;
      close();
    },
  };
}

const bankLink: { readonly launch: typeof launch; readonly configure: typeof configure } = {
  launch,
  configure,
};

export default bankLink;
