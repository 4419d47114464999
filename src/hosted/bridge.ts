/**
 * Sends messages to the app that embeds the page in a frame (contract §14): only to the origin named by the app's
 * module, and only if that origin may frame the page.
 */
export interface Bridge {
  /** Whether an app listens; if so, the app and not the page continues after the end. */
  readonly isEmbedded: boolean;
  /** Whether a message came from that app. */
  isOfApp(message: { readonly source: unknown; readonly origin: string }): boolean;
  report(
    type: 'ready' | 'auth' | 'complete' | 'cancel' | 'error' | 'resize',
    more?: Readonly<Record<string, unknown>>,
  ): void;
}

/** The part of a window that is used. */
export interface FramedWindow {
  readonly location: { readonly origin: string; readonly search: string };
  readonly parent: { postMessage(message: unknown, targetOrigin: string): void };
}

const LOOPBACK = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** `allowed`: the origins of the setting cors.origins, separated by blanks. */
export function createBridge(window: FramedWindow, allowed: string): Bridge {
  const origin = new URLSearchParams(window.location.search).get('origin');
  const isAllowed =
    origin !== null &&
    (LOOPBACK.test(origin) || origin === window.location.origin || allowed.split(' ').includes(origin));
  const isOnTop = (window.parent as unknown) === window;
  const target = isAllowed && !isOnTop ? { opener: window.parent, origin } : undefined;
  return {
    isEmbedded: target !== undefined,
    isOfApp: (message) =>
      target !== undefined && message.source === target.opener && message.origin === target.origin,
    report(type, more = {}) {
      target?.opener.postMessage({ source: 'kyclone', type, ...more }, target.origin);
    },
  };
}
