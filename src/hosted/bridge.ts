/**
 * Sends messages to the app that embeds the page in a frame (contract §14): only to the origin named by the app's
 * module, and only if that origin may frame the page.
 */
type Report = 'ready' | 'auth' | 'complete' | 'cancel' | 'error' | 'resize';

/** The part of a window that is used. */
export interface FramedWindow {
  readonly location: { readonly origin: string; readonly search: string };
  readonly parent: { postMessage(message: unknown, targetOrigin: string): void };
}

const LOOPBACK = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** `allowed`: the origins of the setting cors.origins, separated by blanks. */
export function createBridge(window: FramedWindow, allowed: string) {
  const origin = new URLSearchParams(window.location.search).get('origin');
  const isAllowed =
    origin !== null &&
    (LOOPBACK.test(origin) || origin === window.location.origin || allowed.split(' ').includes(origin));
  const isOnTop = (window.parent as unknown) === window;
  const target = isAllowed && !isOnTop ? { opener: window.parent, origin } : undefined;
  return {
    /** Whether an app listens; if so, the app and not the page continues after the end. */
    isEmbedded: target !== undefined,
    /** Whether a message came from that app. */
    isOfApp: (message: { readonly source: unknown; readonly origin: string }) =>
      target !== undefined && message.source === target.opener && message.origin === target.origin,
    report(type: Report, more: Readonly<Record<string, unknown>> = {}): void {
      target?.opener.postMessage({ source: 'kyclone', type, ...more }, target.origin);
    },
  };
}
