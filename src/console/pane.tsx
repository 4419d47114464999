/** One pane of a screen, by the same definition as in the inspector, and what its selected row leads to. */
import { useCallback, useMemo, useRef, type ReactNode, type UIEvent, useState, useEffect } from 'react';
import { printable, shownLines } from '../kernel/text/terminal-text.ts';
import type { PaneDefinition } from '../tui/screens/definition.ts';
import { screens } from '../tui/screens/registry.ts';
import { hasHeadings } from '../tui/state/geometry.ts';
import { placeOfId } from '../nouns/entities/screen/place.ts';
import type { PaneState, Pointed, Row, Sort, Page, ScreenName, ScreenPlace } from '../tui/state/model.ts';
import { emptyText, rowsOf } from '../tui/state/panes.ts';
import { isSamePlace } from '../tui/state/pointing.ts';
import { textOf } from '../tui/state/rows.ts';
import { inWords } from '../tui/words.ts';
import { hashOf, type Route } from './routes.ts';
import type { PageRuntime } from './runtime.ts';
import { DrawnTimeline, isJson, Json } from './rows-drawn.tsx';
import { Table, type DrawnColumn } from './widgets/table.tsx';
import type { TableSort } from './widgets/table-layout.ts';

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
  const columns = useMemo(() => drawnColumns(definition), [definition]);
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

function drawnColumns({ columns }: PaneDefinition): readonly DrawnColumn<Row>[] {
  const linked = Math.max(
    0,
    columns.findIndex(({ isId }) => isId === true),
  );
  return columns.map(({ heading, align, grows, drop, hidesEmpty, isId }, at) => ({
    key: String(at),
    heading,
    text: (row) => printable(textOf(row.cells[at])),
    cell: (row, shown) => <CellOf row={row} at={at} leadsTo={leadsTo(columns, row, at, shown)} />,
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
                {shownLines(textOf(cell)).join('\n')}{' '}
              </span>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}
