/** The real service on a port, and its screens, loaded as the inspector loads them. */
import { expect } from 'vitest';
import { createSource } from '../../../src/tui/data/link.ts';
import type { Source, TenantEnvironment } from '../../../src/tui/data/source.ts';
import type { PaneDefinition, ScreenDefinition } from '../../../src/tui/screens/definition.ts';
import { textOf } from '../../../src/tui/state/rows.ts';
import type { Page, Row } from '../../../src/tui/state/model.ts';
import { CONTROL_TOKEN, LIVE_KEY, SANDBOX_KEY } from '../../support/service.ts';

export function aSource(
  port: number,
  environment: TenantEnvironment['environment'] = 'sandbox',
  who: Pick<Parameters<typeof createSource>[0], 'operator' | 'seen'> = {},
): Source {
  const apiKey = environment === 'live' ? LIVE_KEY : SANDBOX_KEY;
  const place = { baseUrl: `http://127.0.0.1:${port}`, apiKey, controlToken: CONTROL_TOKEN };
  return createSource({ ...place, ...who }, { tenant: 'default', environment });
}

export interface Loaded {
  readonly source: Source;
  readonly screen: ScreenDefinition;
  readonly title: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly size?: number;
  readonly filter?: string;
}

/** Loads a page of one pane of a screen. Checks that every row has a cell for each column and a unique key. */
export async function loadPane(
  { source, screen, title, params = {}, size = 100, filter = '' }: Loaded,
  cursor?: string,
): Promise<Page> {
  const pane = paneOf(screen, title);
  const page = await pane.load(source, { params, cursor, filter, size });
  for (const { cells } of page.rows) expect(cells).toHaveLength(pane.columns.length);
  expect(new Set(page.rows.map(({ key }) => key)).size).toBe(page.rows.length);
  return page;
}

export function paneOf(screen: ScreenDefinition, title: string): PaneDefinition {
  const pane = screen.panes.find((each) => each.title === title);
  if (pane === undefined) throw new Error(`the screen has no pane ${title}`);
  expect(pane.columns.filter(({ grows }) => grows === true)).toHaveLength(1);
  return pane;
}

export function cellsOf({ rows }: Page): string[][] {
  return rows.map(({ cells }) => cells.map(textOf));
}

/** Returns the facts of a pane by their names. Further lines of a fact are appended to it. */
export function factsOf({ rows }: Page): Record<string, string> {
  const facts: Record<string, string> = {};
  let name = '';
  for (const { cells } of rows) {
    const [first = '', text = ''] = cells.map(textOf);
    const isFurther = first === ' ';
    if (!isFurther) name = first;
    facts[name] = isFurther ? `${facts[name] ?? ''} ${text}` : text;
  }
  return facts;
}

export function toneAt(row: Row | undefined, column: number): string | undefined {
  const cell = row?.cells[column];
  return typeof cell === 'object' ? cell.tone : 'plain';
}
