/**
 * What the page reports to the app that opened it in a frame (contract §14): to the one origin that the app's module named, if
 * that may frame the page, and never to any other.
 */
export interface Bridge {
  /** Whether an app listens: then it, and not the page, goes on from here. */
  readonly isEmbedded: boolean;
  report(
    type: 'auth' | 'complete' | 'cancel' | 'error' | 'resize',
    more?: Readonly<Record<string, unknown>>,
  ): void;
}

/** What of a window is asked for. */
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
    report(type, more = {}) {
      target?.opener.postMessage({ source: 'kyclone', type, ...more }, target.origin);
    },
  };
}
