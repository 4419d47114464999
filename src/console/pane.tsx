/** One pane of a screen, by the same definition as in the inspector, and what its selected row leads to. */
import { useCallback, useMemo, useRef, type ReactNode, type UIEvent, useState, useEffect } from 'react';
import { printable } from '../kernel/terminal-text.ts';
import type { PaneDefinition } from '../tui/screens/definition.ts';
import { TIMELINE } from '../tui/screens/entity/timeline.ts';
import { JSON_COLUMNS } from '../tui/screens/json-rows.ts';
import { screens } from '../tui/screens/registry.ts';
import { noticeOfCopy } from '../tui/state/copying.ts';
import { hasHeadings } from '../tui/state/geometry.ts';
import { placeOfId } from '../tui/screens/entity-place.ts';
import type {
  PaneState,
  Pointed,
  Row,
  Sort,
  Page,
  ScreenName,
  ScreenPlace,
  Cell,
} from '../tui/state/model.ts';
import { emptyText, rowsOf } from '../tui/state/panes.ts';
import { isSamePlace } from '../tui/state/pointing.ts';
import { textOf } from '../tui/state/rows.ts';
import { inWords } from '../tui/words.ts';
import { copyText } from './clipboard.ts';
import { hashOf, type Route } from './routes.ts';
import type { PageRuntime } from './runtime.ts';
import { JsonTree } from './widgets/json-tree.tsx';
import { Plot, type PlotSeries } from './widgets/plot.tsx';
import { Table, type DrawnColumn } from './widgets/table.tsx';
import type { TableSort } from './widgets/table-layout.ts';
import { Timeline } from './widgets/timeline.tsx';

export interface PaneViewProps {
  readonly definition: PaneDefinition;
  readonly pane: PaneState;
  readonly at: number;
  /** Identifies the screen, for the columns that were chosen. */
  readonly screen: string;
  /** It has the selection, and takes the keys. */
  readonly isCurrent: boolean;
  /** The rows are those of an earlier search. */
  readonly isOutdated: boolean;
  readonly act: (act: Pointed) => void;
  /** A press on a row opens it: where fingers press, or there is no room beside. */
  readonly opensAtOnce: boolean;
  /** A timeline as a drawing, not as a list. */
  readonly isDrawn: boolean;
}

const ROW_PX = 30;
/** An id is recognised by its beginning. */
const SHORTEST_ID_CH = 13;

export function PaneView(props: PaneViewProps): ReactNode {
  const { definition, pane, at, screen, isCurrent, isOutdated, act, opensAtOnce, isDrawn } = props;
  const rows = rowsOf(pane, definition);
  const byPointer = useRef(false);
  const positions = useMemo(() => new Map(rows.map((row, index) => [row.key, index])), [rows]);
  const { sort } = pane;
  const columns = useMemo(() => drawnColumns(definition, positions, sort), [definition, positions, sort]);
  const indexOf = (row: Row) => positions.get(row.key) ?? 0;
  const onScroll = (event: UIEvent<HTMLDivElement>) => {
    const { scrollTop, clientHeight } = event.target as HTMLDivElement;
    const height = Math.max(1, Math.floor(clientHeight / ROW_PX) - 2);
    if (isCurrent) act({ kind: 'scroll', pane: at, top: Math.ceil(scrollTop / ROW_PX), height });
  };
  const onEnd = useCallback(() => {
    act({ kind: 'more', pane: at });
  }, [act, at]);
  const choices = useColumns(`${screen} ${definition.title}`);
  if (isJson(definition, pane.record)) return <Json label={definition.title} value={pane.record} />;
  if (isDrawn) return <DrawnTimeline rows={rows} empty={emptyText(definition, pane)} />;
  return (
    <div
      className={`pane-rows${hasHeadings(definition) ? '' : ' is-headless'}${isOutdated ? ' is-outdated' : ''}`}
      onScrollCapture={onScroll}
      onPointerDownCapture={() => (byPointer.current = true)}
      onKeyDownCapture={() => (byPointer.current = false)}
    >
      <Table<Row>
        label={definition.title}
        columns={columns}
        rows={rows}
        rowKey={keyOf}
        empty={printable(emptyText(definition, pane))}
        selected={isCurrent ? rows[pane.selected]?.key : undefined}
        marked={pane.marked}
        onSelect={(row) => {
          const isPress = byPointer.current && opensAtOnce && row.opens !== undefined;
          act({ kind: isPress ? 'open' : 'row', pane: at, index: indexOf(row) });
        }}
        onOpen={(row) => act({ kind: 'open', pane: at, index: indexOf(row) })}
        onMark={(row) => act({ kind: 'mark', pane: at, index: indexOf(row) })}
        sort={tableSort(sort)}
        onSort={(next) => act({ kind: 'sort', pane: at, sort: sortOf(next) })}
        shown={choices.shown}
        onColumns={choices.choose}
        {...(pane.next !== null && { onEnd })}
        isBusy={pane.loading !== undefined}
      />
    </div>
  );
}

const keyOf = ({ key }: Row): string => key;
const tableSort = (sort: Sort | undefined): TableSort | undefined =>
  sort && { column: String(sort.column), isDescending: sort.descending };
const sortOf = (sort: TableSort | undefined): Sort | undefined =>
  sort && { column: Number(sort.column), descending: sort.isDescending };

/** The rows come sorted; the table must keep their order. */
function drawnColumns(
  { columns }: PaneDefinition,
  positions: ReadonlyMap<string, number>,
  sort: Sort | undefined,
): readonly DrawnColumn<Row>[] {
  const linked = Math.max(
    0,
    columns.findIndex(({ isId }) => isId === true),
  );
  const sign = sort?.descending === true ? -1 : 1;
  return columns.map(({ heading, align, grows, drop, hidesEmpty, isId }, at) => ({
    key: String(at),
    heading,
    text: (row) => printable(textOf(row.cells[at])),
    cell: (row, shown) => <CellOf row={row} at={at} leadsTo={leadsTo(columns, row, at, shown)} />,
    sortBy: (row) => sign * (positions.get(row.key) ?? 0),
    align,
    grows,
    shrinksTo: isId === true || at === linked ? SHORTEST_ID_CH : undefined,
    drop: hidesEmpty === true ? Math.max(drop ?? 0, 9) : drop,
  }));
}

/** An id leads to what it names. The first cell leads to what its row opens, unless another one does. */
function leadsTo(
  columns: PaneDefinition['columns'],
  { cells, opens, opensPane }: Row,
  at: number,
  shown: readonly string[],
): Route | undefined {
  const isOpened = (place: ScreenPlace | undefined) =>
    place !== undefined && opens !== undefined && isSamePlace(place, opens);
  const named = (key: number | string) => {
    if (columns[+key]?.isId !== true) return undefined;
    const text = textOf(cells[+key]);
    const isOfRow = opens !== undefined && Object.values(opens.params).includes(text);
    return placeOfId(text) ?? (isOfRow ? opens : undefined);
  };
  const own = named(at);
  if (own !== undefined && !isOpened(own)) return { place: own };
  const leads = shown.find((key) => isOpened(named(key))) ?? shown[0];
  return opens === undefined || leads !== String(at)
    ? undefined
    : { place: opens, pane: screens[opens.screen].panes.findIndex(({ title }) => title === opensPane) };
}

interface CellProps {
  readonly row: Row;
  readonly at: number;
  readonly leadsTo: Route | undefined;
}

function CellOf({ row, at, leadsTo: route }: CellProps): ReactNode {
  const cell = row.cells[at];
  const text = printable(textOf(cell));
  const tone = typeof cell === 'object' ? cell.tone : 'plain';
  if (route === undefined || text.trim() === '') return <span className={`tone-${tone}`}>{text}</span>;
  // The row takes the focus; a link of its own would be a stop of tab for each row.
  return (
    <a className={`tone-${tone}`} href={hashOf(route)} tabIndex={-1}>
      {text}
    </a>
  );
}

// The columns that were chosen for each list. They stay in this browser; they name columns and nothing else.

const KEPT = 'kyclone-console-columns';

type Choices = Readonly<Record<string, readonly string[]>>;

function useColumns(list: string): {
  readonly shown: readonly string[] | undefined;
  readonly choose: (keys: readonly string[] | undefined) => void;
} {
  const [choices, setChoices] = useState(read);
  return {
    shown: choices[list],
    choose(keys) {
      const { [list]: _former, ...others } = read();
      const next = keys === undefined ? others : { ...others, [list]: keys };
      localStorage.setItem(KEPT, JSON.stringify(next));
      setChoices(next);
    },
  };
}

function read(): Choices {
  try {
    return (JSON.parse(localStorage.getItem(KEPT) ?? '{}') ?? {}) as Choices;
  } catch {
    return {};
  }
}

// What the selected row leads to, beside the list: a call with its explanation, an event with its body.

/** Somebody who goes through a list reads none of what is passed. */
const PAUSE_MS = 180;
const ROWS = 50;

/** Reading these leaves nothing in the access log, and claims no case. */
const OF_LISTS: ReadonlySet<ScreenName> = new Set(['request', 'event', 'delivery']);

export function hasPreview(row: Row | undefined): row is Row & { readonly opens: ScreenPlace } {
  return row?.opens !== undefined && OF_LISTS.has(row.opens.screen);
}

interface PreviewProps {
  readonly page: PageRuntime;
  readonly place: ScreenPlace;
  /** The pane to begin with, by its title. */
  readonly first?: string | undefined;
  /** One pane alone. */
  readonly only?: string | undefined;
  /** Loads again when it changes. */
  readonly version: number;
}

type Loaded = readonly { readonly definition: PaneDefinition; readonly page: Page }[];

export function Preview({ page, place, first, only, version }: PreviewProps): ReactNode {
  const [loaded, setLoaded] = useState<Loaded | string>();
  const address = hashOf({ place });
  useEffect(() => {
    let isOver = false;
    const timer = setTimeout(() => {
      load(page, place, only).then(
        (panes) => !isOver && setLoaded(panes),
        (error: unknown) => !isOver && setLoaded(inWords(error)),
      );
    }, PAUSE_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
    // The address says all of the place.
  }, [page, address, only, version]);
  if (loaded === undefined) return null;
  if (typeof loaded === 'string') return <p className="dim">{printable(loaded)}</p>;
  const shown = loaded.filter((each) => each.page.rows.length > 0);
  const sorted = shown.toSorted((a, b) => rank(a.definition, first) - rank(b.definition, first));
  return sorted.map(({ definition, page: content }) => (
    <div key={definition.title} className="preview">
      {only === undefined && <h3>{definition.title}</h3>}
      {isJson(definition, content.record) ? (
        <Json label={definition.title} value={content.record} />
      ) : (
        <Facts rows={content.rows} />
      )}
    </div>
  ));
}

const rank = ({ title }: PaneDefinition, first: string | undefined): number => (title === first ? 0 : 1);

async function load({ source }: PageRuntime, { screen, params }: ScreenPlace, only: string | undefined) {
  const panes = screens[screen].panes.filter(({ title }) => only === undefined || title === only);
  const of = source();
  const query = { params, cursor: undefined, filter: '', size: ROWS };
  return await Promise.all(
    panes.map(async (definition) => ({ definition, page: await definition.load(of, query) })),
  );
}

/** The first cell names the others. */
function Facts({ rows }: { readonly rows: readonly Row[] }): ReactNode {
  return (
    <dl className="facts">
      {rows.map(({ key, cells: [name, ...cells] }) => (
        <div key={key}>
          <dt>{printable(textOf(name))}</dt>
          <dd>
            {cells.map((cell, at) => (
              <span key={at} className={typeof cell === 'object' ? `tone-${cell.tone}` : ''}>
                {printable(textOf(cell))}{' '}
              </span>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

// Rows as something else than a table: JSON that folds, a timeline, and plots over time.

function isJson({ columns }: PaneDefinition, record: unknown): boolean {
  return columns === JSON_COLUMNS && record !== undefined && record !== null;
}

function Json({ label, value }: { readonly label: string; readonly value: unknown }): ReactNode {
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
function DrawnTimeline({
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
        timeZone="UTC"
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
      <Plot title={title} kind={isBars ? 'bars' : 'lines'} empty="No data" series={series} />
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
