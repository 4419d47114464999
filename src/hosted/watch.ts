/** Asks again and again, while the page is looked at, and at once when somebody comes back to it. */
export interface Watch {
  /** Asks every so many milliseconds from now on, until `end`. */
  begin(everyMs: number): void;
  end(): void;
}

/** What of a window is asked for. */
export type WatchedWindow = Pick<Window, 'setTimeout' | 'clearTimeout' | 'addEventListener'> & {
  readonly document: Pick<Document, 'hidden' | 'addEventListener'>;
};

/** `ask` is never called while an earlier call of it is under way. */
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
