/**
 * A screen that is read once: the text that `--once` prints, which also comes out where there is no terminal, and the data
 * that `--json` prints.
 */
import type { Source } from './data/source.ts';
import type { PaneDefinition } from './screens/definition.ts';
import { screens } from './screens/registry.ts';
import type { ScreenPlace, ScreenName } from './state/model.ts';
import { textOf } from './state/rows.ts';

export interface ScreenText {
  readonly screen: ScreenName;
  readonly title: string;
  readonly panes: readonly PaneText[];
}

/** The first page of a pane, masked as the daemon has it. */
export interface PaneText {
  readonly title: string;
  /** Each is empty where the pane has no line of them. */
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Whether there are rows after these. */
  readonly more: boolean;
  /** How many there are altogether, where the daemon says so. */
  readonly total: number | null;
  /** The line above the rows, such as a sparkline. */
  readonly banner: string | null;
  /** What is said in place of rows; null where there are some. */
  readonly note: string | null;
  /** The records that the rows show, as the daemon has them; one alone for a pane about one thing. */
  readonly data: unknown;
}

/** The same for programs: nothing in it is worded for a window. */
export interface ScreenData {
  readonly screen: ScreenName;
  readonly title: string;
  readonly panes: readonly Pick<PaneText, 'title' | 'more' | 'total' | 'data'>[];
}

export function dataOf({ screen, title, panes }: ScreenText): ScreenData {
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
    headings: columns.map(({ heading }) => heading),
    rows: rows.map(({ cells }) => columns.map((_, at) => textOf(cells[at]))),
    more: next !== null,
    total: total ?? null,
    banner: banner ?? null,
    note: rows.length === 0 ? empty : null,
    data: record === undefined ? rows.flatMap(({ data }) => (data === undefined ? [] : [data])) : record,
  };
}
