/** The terminal UI as the CLI opens it. The drawing code is loaded only when something is drawn. */
import type { ThemeName } from './components/theme.tsx';
import type { Source } from './data/source.ts';
import type { PaneDefinition } from './screens/definition.ts';
import { screens } from './screens/registry.ts';
import { openSession, type InspectorSession, type SessionOptions } from './session.ts';
import type { ScreenName, ScreenPlace } from './state/model.ts';
import { currentPane } from './state/reading.ts';
import { textOf } from './state/rows.ts';

/**
 * Draws until the user leaves. Returns the signal that ended it, or undefined when the user left. Throws CrashError
 * when drawing failed.
 */
export async function inspect(
  options: SessionOptions,
  theme: ThemeName,
): Promise<NodeJS.Signals | undefined> {
  // The daemon loads the first rows while the drawing code loads.
  const session = openSession(options);
  session.follow();
  try {
    const [{ draw }] = await Promise.all([import('./mount.tsx'), firstRows(session)]);
    return await draw(session, options, theme);
  } finally {
    session.close();
  }
}

/** Drawing a loading state takes longer than most loads, so the first frame waits this long for the rows. */
const PATIENCE_MS = 100;

async function firstRows({ runtime }: InspectorSession): Promise<void> {
  await new Promise<void>((resolve) => {
    const settle = () => {
      clearTimeout(timer);
      unsubscribe();
      resolve();
    };
    const unsubscribe = runtime.subscribe(() => {
      const { loading, generation } = currentPane(runtime.getState());
      if (loading === undefined || generation > 1) settle();
    });
    const timer = setTimeout(settle, PATIENCE_MS);
  });
}

/** Like `inspect`, but in lines. */
export async function linearInspect(options: SessionOptions): Promise<NodeJS.Signals | undefined> {
  const { linearInspect: inspectInLines } = await import('./linear-inspect.ts');
  return await inspectInLines(options);
}

export { createSource } from './data/link.ts';
export { CrashError, type Elsewhere } from './session.ts';
export type { SessionOptions, ThemeName };
export type { Found } from './data/link.ts';
export type { ScreenPlace as Place, Setup, Target } from './state/model.ts';

// Reads a screen once: as the text that `--once` prints, which is also the output without a terminal, and as the data
// that `--json` prints.

export interface ScreenText {
  readonly screen: ScreenName;
  readonly title: string;
  readonly panes: readonly PaneText[];
}

/** The first page of a pane, masked by the daemon. */
interface PaneText {
  readonly title: string;
  /** Empty if the pane has none. With `drop`, the column is left out if there is no room; see `Column`. */
  readonly headings: readonly (string | { readonly text: string; readonly drop: number })[];
  readonly rows: readonly (readonly string[])[];
  /** Whether there are more rows after these. */
  readonly more: boolean;
  /** The total number, if the daemon gives it. */
  readonly total: number | null;
  /** The line above the rows, such as a sparkline. */
  readonly banner: string | null;
  /** The text in place of rows; null if there are rows. */
  readonly note: string | null;
  /** The daemon's records behind the rows; a single record for a pane about one thing. */
  readonly data: unknown;
}

export type ScreenData = ReturnType<typeof dataOf>;

/** The same for programs, without text for a window. */
export function dataOf({ screen, title, panes }: ScreenText) {
  return {
    screen,
    title,
    panes: panes.map(({ title: name, more, total, data }) => ({ title: name, more, total, data })),
  };
}

/** Loads every pane of the screen. Throws what the client throws for the first pane that fails. */
export async function readScreen(
  source: Source,
  { screen, params }: ScreenPlace,
  { rows }: { readonly rows: number },
): Promise<ScreenText> {
  const definition = screens[screen];
  const query = { params, cursor: undefined, filter: '', size: rows };
  const texts = await Promise.all(definition.panes.map((pane) => textOfPane(pane, pane.load(source, query))));
  return { screen, title: definition.title(params), panes: texts };
}

async function textOfPane(
  { title, columns, empty }: PaneDefinition,
  loading: ReturnType<PaneDefinition['load']>,
): Promise<PaneText> {
  const { rows, next, total, banner, record } = await loading;
  return {
    title,
    headings: columns.map(({ heading, drop }) => (drop === undefined ? heading : { text: heading, drop })),
    rows: rows.map(({ cells }) => columns.map((_, at) => textOf(cells[at]))),
    more: next !== null,
    total: total ?? null,
    banner: banner ?? null,
    note: rows.length === 0 ? empty : null,
    data: record === undefined ? rows.flatMap(({ data }) => (data === undefined ? [] : [data])) : record,
  };
}
