/** The window as React reads it: its width and its address. */
import { useSyncExternalStore } from 'react';

/** The width of the window in px. */
export function useWidth(): number {
  return useSyncExternalStore(subscribe, () => innerWidth);
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('resize', listener);
  return () => window.removeEventListener('resize', listener);
}

/** The address as it is shown. */
export function useHash(): string {
  return useSyncExternalStore(
    (listener) => {
      window.addEventListener('hashchange', listener);
      window.addEventListener('popstate', listener);
      return () => {
        window.removeEventListener('hashchange', listener);
        window.removeEventListener('popstate', listener);
      };
    },
    () => location.hash,
  );
}
