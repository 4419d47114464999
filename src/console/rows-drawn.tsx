/** Rows as something else than a table: JSON that folds, a timeline, and plots over time. */
import { useState, type ReactNode } from 'react';
import { printable } from '../kernel/text/terminal-text.ts';
import type { PaneDefinition } from '../tui/screens/definition.ts';
import { TIMELINE } from '../nouns/entities/screen/timeline.ts';
import { JSON_COLUMNS } from '../tui/screens/json-rows.ts';
import { noticeOfCopy } from '../tui/state/copying.ts';
import type { Cell, PaneState, Row } from '../tui/state/model.ts';
import { textOf } from '../tui/state/rows.ts';
import { copyText } from './clipboard.ts';
import { hashOf } from './routes.ts';
import { JsonTree } from './widgets/json-tree.tsx';
import { Plot, type PlotSeries } from './widgets/plot.tsx';
import { Timeline } from './widgets/timeline.tsx';

export function isJson({ columns }: PaneDefinition, record: unknown): boolean {
  return columns === JSON_COLUMNS && record !== undefined && record !== null;
}

export function Json({ label, value }: { readonly label: string; readonly value: unknown }): ReactNode {
  return (
    <div className="json-pane">
      <JsonTree
        label={label}
        value={value}
        copy={async (text) => noticeOfCopy(await copyText(text), text.slice(0, 40)).text}
      />
    </div>
  );
}

export function isTimeline({ title }: PaneDefinition): boolean {
  return title === TIMELINE;
}

/** The entries with what, by whom and why; each leads to what it is about. */
export function DrawnTimeline({
  rows,
  empty,
}: {
  readonly rows: readonly Row[];
  readonly empty: string;
}): ReactNode {
  return (
    <div className="timeline-pane" tabIndex={0} role="region" aria-label="Timeline, drawn">
      <Timeline
        label="What happened"
        empty={printable(empty)}
        entries={rows.map(({ cells: [at, kind, what, by, reason], opens }) => ({
          at: `${textOf(at).replace(' ', 'T')}Z`,
          title: printable(textOf(what)),
          tone: entryTone(what),
          detail: detailOf(kind, by, reason),
          href: opens && hashOf({ place: opens }),
        }))}
      />
    </div>
  );
}

function entryTone(cell: string | Cell | undefined): Exclude<Cell['tone'], 'secret'> {
  return typeof cell === 'object' && cell.tone !== 'secret' ? cell.tone : 'plain';
}

function detailOf(...cells: readonly (string | Cell | undefined)[]): string {
  return cells
    .map((cell) => printable(textOf(cell)).trim())
    .filter((text) => text !== '' && text !== '-')
    .join(' · ');
}

/** A list of this many rows has a shape over time. */
const LEAST_ROWS = 4;

/** What a pane has over time: a balance, or how many of its rows went well. */
export function OverTime({
  definition,
  pane,
}: {
  readonly definition: PaneDefinition;
  readonly pane: PaneState;
}): ReactNode {
  const { history, rows } = pane;
  if (history !== undefined) {
    const { title, points } = history;
    return <Plots title={title} series={[{ name: title, tone: 'accent', points }]} />;
  }
  const at = definition.columns.findIndex(({ heading }) => heading === 'STATUS');
  const time = definition.columns.findIndex(({ heading }) => heading.endsWith('(UTC)'));
  if (definition.isFeed !== true || at < 0 || time < 0 || rows.length < LEAST_ROWS) return null;
  const title = `${definition.title} over time${pane.next === null ? '' : `: the ${rows.length} loaded`}`;
  return <Plots title={title} series={countsOf(rows, time, at)} isBars />;
}

/** A lower window, such as a magnified one, has room for the list alone. */
const LEAST_HEIGHT_PX = 640;

interface PlotsProps {
  readonly title: string;
  readonly series: readonly PlotSeries[];
  readonly isBars?: boolean;
}

function Plots({ title, series, isBars = false }: PlotsProps): ReactNode {
  const [isOpen] = useState(() => innerHeight >= LEAST_HEIGHT_PX);
  return (
    <details className="plots" open={isOpen}>
      <summary>{title}</summary>
      <Plot title={title} kind={isBars ? 'bars' : 'lines'} series={series} />
    </details>
  );
}

const TONES = ['good', 'warn', 'bad', 'dim'] as const;
const NAMES = { good: 'went well', warn: 'refused or waiting', bad: 'failed', dim: 'other' } as const;
const BARS = 40;

/** How many rows there were in each part of the time, by the tone of their status. */
function countsOf(rows: readonly Row[], time: number, status: number): readonly PlotSeries[] {
  const marks = rows.flatMap(({ cells }) => {
    const at = Date.parse(`${textOf(cells[time]).replace(' ', 'T')}Z`);
    const cell = cells[status];
    const tone = TONES.find((each) => typeof cell === 'object' && cell.tone === each) ?? 'dim';
    return Number.isNaN(at) ? [] : [{ at, tone }];
  });
  const first = Math.min(...marks.map(({ at }) => at));
  const last = Math.max(...marks.map(({ at }) => at));
  const width = Math.max(1000, Math.ceil((last - first + 1) / BARS));
  return TONES.flatMap((tone): PlotSeries[] => {
    const counts = new Map<number, number>();
    for (const { at, tone: of } of marks) {
      if (of !== tone) continue;
      const from = first + Math.floor((at - first) / width) * width;
      counts.set(from, (counts.get(from) ?? 0) + 1);
    }
    const points = [...counts]
      .toSorted(([a], [b]) => a - b)
      .map(([at, value]) => ({ at: new Date(at).toISOString(), value }));
    return points.length === 0 ? [] : [{ name: NAMES[tone], tone, points }];
  });
}
