/** Polls while the page is visible, and at once when the person comes back to it. */
export interface Watch {
  /** Polls at this interval until `end`. */
  begin(everyMs: number): void;
  end(): void;
}

/** The part of a window that is used. */
export type WatchedWindow = Pick<Window, 'setTimeout' | 'clearTimeout' | 'addEventListener'> & {
  readonly document: Pick<Document, 'hidden' | 'addEventListener'>;
};

/** `ask` is never called while an earlier call is in flight. */
export function createWatch(window: WatchedWindow, ask: () => Promise<void>): Watch {
  let everyMs: number | undefined;
  let timer: number | undefined;
  let isAsking = false;
  const { document } = window;
  document.addEventListener('visibilitychange', () => void look());
  window.addEventListener('focus', () => void look());
  return {
    begin(ms) {
      everyMs = ms;
      plan();
    },
    end() {
      everyMs = undefined;
      window.clearTimeout(timer);
    },
  };

  function plan(): void {
    window.clearTimeout(timer);
    if (everyMs !== undefined) timer = window.setTimeout(() => void look(), everyMs);
  }

  async function look(): Promise<void> {
    if (everyMs === undefined || isAsking) return;
    isAsking = true;
    try {
      if (!document.hidden) await ask();
    } finally {
      isAsking = false;
      plan();
    }
  }
}
