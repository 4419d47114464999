/** What the page does with its window: entries of the history, and polling while it is visible. */

/** The part of a window that is used. */
type VisitedWindow = Pick<Window, 'addEventListener' | 'setTimeout'> & {
  readonly history: Pick<History, 'state' | 'pushState' | 'replaceState' | 'go'>;
  readonly location: Pick<Location, 'pathname'>;
};

interface Entry {
  readonly place: string;
  readonly depth: number;
}

const LONGEST_MOVE_MS = 1000;

/**
 * The places of the flow as entries of the browser's history (contract §14), so that its Back button goes one step back.
 * All entries have the address of the page. A flow that leaves the page removes them, and with them its token. `arrive`
 * draws the place of an entry to which the person moves.
 */
export function createVisits(window: VisitedWindow, arrive: (place: string) => void) {
  const { history } = window;
  let { place, depth } = entryOf(history.state);
  let isReplaced = true;
  let moved: (() => void) | undefined;

  window.addEventListener('popstate', ({ state }) => {
    ({ place, depth } = entryOf(state));
    isReplaced = true;
    if (moved) moved();
    else arrive(place);
  });

  function move(steps: number): Promise<void> {
    return new Promise((resolve) => {
      moved = () => {
        moved = undefined;
        resolve();
      };
      window.setTimeout(() => moved?.(), LONGEST_MOVE_MS);
      history.go(steps);
    });
  }

  /** Returns to the first entry, which the next place replaces: what lies before can't be reached any more. */
  async function rewind(): Promise<void> {
    if (depth > 0) await move(-depth);
    isReplaced = true;
  }

  return {
    rewind,
    /** Adds an entry for the place that is drawn. */
    visit(next: string): void {
      if (next !== place && !isReplaced) history.pushState({ place: next, depth: ++depth }, '');
      else history.replaceState({ place: next, depth }, '');
      place = next;
      isReplaced = false;
    },
    /** Goes one step back; false when the flow has no earlier entry. */
    back(): boolean {
      if (depth > 0) history.go(-1);
      return depth > 0;
    },
    /** Removes the entries, so that the page can be replaced by another. */
    async clear(): Promise<void> {
      if (depth === 0) return;
      await rewind();
      // An entry without the token takes the place of those that follow.
      history.pushState({ place: '', depth: 1 }, '', window.location.pathname);
      await move(-1);
    },
  };
}

function entryOf(state: unknown): Entry {
  const { place = '', depth = 0 } = (state ?? {}) as Partial<Entry>;
  return { place, depth };
}

/** The part of a window that is used. */
type WatchedWindow = Pick<Window, 'setTimeout' | 'clearTimeout' | 'addEventListener'> & {
  readonly document: Pick<Document, 'hidden' | 'addEventListener'>;
};

/**
 * Polls while the page is visible, and at once when the person comes back to it. `ask` is never called while an earlier
 * call is in flight.
 */
export function createWatch(window: WatchedWindow, ask: () => Promise<void>) {
  let everyMs: number | undefined;
  let timer: number | undefined;
  let isAsking = false;
  const { document } = window;
  document.addEventListener('visibilitychange', () => void look());
  window.addEventListener('focus', () => void look());
  return {
    /** Polls at this interval until `end`. */
    begin(ms: number): void {
      everyMs = ms;
      plan();
    },
    end(): void {
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
