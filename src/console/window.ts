/** The window: its events, and its width and address as React reads them. */
import { useSyncExternalStore } from 'react';

/** Listens to events until the returned function is called. */
export function listen(
  target: EventTarget,
  names: readonly string[],
  listener: (event: KeyboardEvent) => void,
): () => void {
  for (const name of names) target.addEventListener(name, listener as EventListener);
  return () => {
    for (const name of names) target.removeEventListener(name, listener as EventListener);
  };
}

/** The width of the window in px. */
export function useWidth(): number {
  return useSyncExternalStore(onResize, () => innerWidth);
}

/** The address as it is shown. */
export function useHash(): string {
  return useSyncExternalStore(onAddress, () => location.hash);
}

const onResize = (listener: () => void) => listen(window, ['resize'], listener);
const onAddress = (listener: () => void) => listen(window, ['hashchange', 'popstate'], listener);
