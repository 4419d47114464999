/** Rows as something else than a table: JSON that folds, and plots over time. */
import { useState, type ReactNode } from 'react';
import type { PaneDefinition } from '../tui/screens/definition.ts';
import { JSON_COLUMNS } from '../tui/screens/json-rows.ts';
import { noticeOfCopy } from '../tui/state/copying.ts';
import type { PaneState, Row } from '../tui/state/model.ts';
import { textOf } from '../tui/state/rows.ts';
import { copyText } from './clipboard.ts';
import { JsonTree } from './widgets/json-tree.tsx';
import { Plot, type PlotSeries } from './widgets/plot.tsx';

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
    return <Plots title={title} series={[{ name: title, tone: 'accent', points }]} isBars={false} />;
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
  readonly isBars: boolean;
}

function Plots({ title, series, isBars }: PlotsProps): ReactNode {
  const [isOpen] = useState(() => innerHeight >= LEAST_HEIGHT_PX);
  return (
    <details className="plots" open={isOpen}>
      <summary>{title}</summary>
      <Plot title={title} isBars={isBars} series={series} />
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
