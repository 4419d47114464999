/**
 * A table of many rows: only those in view are in the document. The table has the focus, and arrows (or j and k) move
 * the selection, so that a screen reader follows `aria-activedescendant` and no row needs to keep the focus while it
 * scrolls away. Its height is that of the element around it.
 */
import { defaultRangeExtractor, useVirtualizer, type Range } from '@tanstack/react-virtual';
import {
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactElement,
} from 'react';
import { nameOfKey } from '../keys.ts';
import { placeOfId } from '../../nouns/entities/screen/place.ts';
import { printable } from '../../kernel/text/terminal-text.ts';
import type { PaneDefinition } from '../../tui/screens/definition.ts';
import { screens } from '../../tui/screens/registry.ts';
import type { PaneState, Pointed, Row, ScreenPlace, Sort } from '../../tui/state/model.ts';
import { emptyText, rowsOf } from '../../tui/state/panes.ts';
import { isSamePlace } from '../../tui/state/pointing.ts';
import { textOf, toneOf } from '../../tui/state/rows.ts';
import { Popup } from '../dialog.tsx';
import { hashOf, type Route } from '../routes.ts';
import {
  cellText,
  columnWidths,
  drawnColumns,
  fittingColumns,
  movedIndex,
  nextSort,
  rowLayout,
  shrunkWidths,
  type TableColumn,
} from './table-layout.ts';
import './table.css';

export interface TableProps {
  readonly definition: PaneDefinition;
  readonly pane: PaneState;
  readonly at: number;
  /** It has the selection, and takes the keys. */
  readonly isCurrent: boolean;
  readonly act: (act: Pointed) => void;
  /** A press on a row opens it: where fingers press, or there is no room beside. */
  readonly opensAtOnce: boolean;
  /** Identifies the screen, for the columns that were chosen. */
  readonly screen: string;
}

const ROW_PX = 30;
const OVERSCAN = 8;
/** What stands beside the cells of a row. */
const EDGES_CH = 7;

/** Draws the rows of a pane. */
export function Table({
  definition,
  pane,
  at,
  isCurrent,
  act,
  opensAtOnce,
  screen,
}: TableProps): ReactElement {
  const { sort, marked } = pane;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const available = useWidthInCh(scroller);

  const rows = rowsOf(pane, definition);
  const columns = useMemo(() => drawnColumns(definition), [definition]);
  const widths = useMemo(() => columnWidths(columns, rows), [columns, rows]);
  const [chosen, choose] = useColumns(`${screen} ${definition.title}`);
  const keys = chosen ?? fittingColumns(columns, widths, available);
  const shown = columns.filter(({ key }) => keys.includes(key));
  const shownKeys = shown.map(({ key }) => key);
  const wanted = shown.map((column) => widths[columns.indexOf(column)] ?? 0);
  const { tracks, leastCh } = rowLayout(shown, shrunkWidths(shown, wanted, available - EDGES_CH));
  // Every row has the same, whatever its texts are, so that columns stay below their headings.
  const layout = { gridTemplateColumns: tracks, minWidth: `calc(${leastCh}ch + var(--table-edges))` };

  const selected = isCurrent ? rows[pane.selected] : undefined;
  const index = selected === undefined ? -1 : pane.selected;
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    scrollPaddingStart: ROW_PX,
    // The selected row stays in the document, because aria-activedescendant names it.
    rangeExtractor: (range: Range) => {
      const indexes = defaultRangeExtractor(range);
      return index < 0 || indexes.includes(index) ? indexes : [...indexes, index].sort((a, b) => a - b);
    },
  });
  const items = virtualizer.getVirtualItems();

  useEffect(() => {
    if (index >= 0) virtualizer.scrollToIndex(index, { align: 'auto' });
    // Only a new selection scrolls: rows that load again leave the reader where they are.
  }, [selected?.key]);

  const isAtEnd = rows.length > 0 && items.some((item) => item.index === rows.length - 1);
  useEffect(() => {
    if (isAtEnd && pane.next !== null) act({ kind: 'more', pane: at });
  }, [isAtEnd, rows.length]);

  function onKeyDown(event: KeyboardEvent): void {
    // The buttons of the headings have keys of their own.
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? ROW_PX) / ROW_PX) - 2);
    const moved = movedIndex(nameOfKey(event.key), { index, count: rows.length, page });
    if (rows[moved ?? index] === undefined) return;
    if (moved !== undefined) act({ kind: 'row', pane: at, index: moved });
    else if (event.key === 'Enter') act({ kind: 'open', pane: at, index });
    else if (event.key === ' ') act({ kind: 'mark', pane: at, index });
    else return;
    event.preventDefault();
  }

  return (
    <div className={leastCh > available - EDGES_CH ? 'table is-cut' : 'table'}>
      <div
        ref={scroller}
        className="table-grid"
        role="grid"
        aria-label={definition.title}
        aria-rowcount={rows.length + 1}
        aria-colcount={shown.length}
        aria-busy={pane.loading !== undefined}
        aria-multiselectable
        aria-activedescendant={index < 0 ? undefined : `${id}-${index}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div role="rowgroup" className="table-head">
          <div role="row" aria-rowindex={1} className="table-row" style={layout}>
            {shown.map((column) => (
              <Heading
                key={column.key}
                column={column}
                sort={sort}
                onSort={() => act({ kind: 'sort', pane: at, sort: nextSort(sort, Number(column.key)) })}
              />
            ))}
          </div>
        </div>
        <div
          role="rowgroup"
          className="table-body"
          style={{ height: virtualizer.getTotalSize() || undefined }}
        >
          {rows.length === 0 && (
            <div role="row" className="table-empty">
              <div role="gridcell" aria-colindex={1} aria-colspan={Math.max(1, shown.length)}>
                {printable(emptyText(definition, pane))}
              </div>
            </div>
          )}
          {items.map((item) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            const { key } = row;
            const press = opensAtOnce && row.opens !== undefined ? 'open' : 'row';
            return (
              <div
                key={key}
                id={`${id}-${item.index}`}
                role="row"
                aria-rowindex={item.index + 2}
                aria-selected={marked.has(key)}
                className={`table-row${item.index === index ? ' is-selected' : ''}${marked.has(key) ? ' is-marked' : ''}`}
                style={{ ...layout, transform: `translateY(${item.start}px)` }}
                onClick={() => act({ kind: press, pane: at, index: item.index })}
                onDoubleClick={() => act({ kind: 'open', pane: at, index: item.index })}
              >
                {shown.map((column) => (
                  <Cell
                    key={column.key}
                    column={column}
                    row={row}
                    route={leadsTo(definition.columns, row, column.key, shownKeys)}
                  />
                ))}
              </div>
            );
          })}
        </div>
      </div>
      {columns.some(({ heading }) => heading !== '') && (
        <Columns columns={columns} shown={keys} chosen={chosen} onColumns={choose} />
      )}
    </div>
  );
}

function Heading({
  column,
  sort,
  onSort,
}: {
  column: TableColumn;
  sort: Sort | undefined;
  readonly onSort: () => void;
}): ReactElement {
  const isSorted = sort?.column === Number(column.key);
  const direction = !isSorted ? 'none' : sort.descending ? 'descending' : 'ascending';
  const isSortable = column.heading !== '';
  return (
    <div
      role="columnheader"
      aria-sort={isSortable ? direction : undefined}
      className={column.align === 'right' ? 'table-cell is-right' : 'table-cell'}
    >
      {isSortable ? (
        <button type="button" onClick={onSort}>
          {column.heading}
          <span aria-hidden="true" className="table-arrow">
            {direction === 'none' ? '' : direction === 'ascending' ? '↑' : '↓'}
          </span>
        </button>
      ) : (
        column.heading
      )}
    </div>
  );
}

function Cell({
  column,
  row,
  route,
}: {
  column: TableColumn;
  row: Row;
  readonly route: Route | undefined;
}): ReactElement {
  const text = cellText(row, column);
  const tone = `tone-${toneOf(row.cells[Number(column.key)])}`;
  return (
    <div
      role="gridcell"
      title={text}
      className={column.align === 'right' ? 'table-cell is-right' : 'table-cell'}
    >
      {route === undefined || text.trim() === '' ? (
        <span className={tone}>{text}</span>
      ) : (
        // The row takes the focus; a link of its own would be a stop of tab for each row.
        <a className={tone} href={hashOf(route)} tabIndex={-1}>
          {text}
        </a>
      )}
    </div>
  );
}

/** An id leads to what it names. The first cell leads to what its row opens, unless another one does. */
function leadsTo(
  columns: PaneDefinition['columns'],
  { cells, opens, opensPane }: Row,
  key: string,
  shown: readonly string[],
): Route | undefined {
  const isOpened = (place: ScreenPlace | undefined) =>
    place !== undefined && opens !== undefined && isSamePlace(place, opens);
  const named = (each: string) => {
    if (columns[Number(each)]?.isId !== true) return undefined;
    const text = textOf(cells[Number(each)]);
    const isOfRow = opens !== undefined && Object.values(opens.params).includes(text);
    return placeOfId(text) ?? (isOfRow ? opens : undefined);
  };
  const own = named(key);
  if (own !== undefined && !isOpened(own)) return { place: own };
  const leads = shown.find((each) => isOpened(named(each))) ?? shown[0];
  return opens === undefined || leads !== key
    ? undefined
    : { place: opens, pane: screens[opens.screen].panes.findIndex(({ title }) => title === opensPane) };
}

// The columns that were chosen for each list. They stay in this browser; they name columns and nothing else.

const KEPT = 'kyclone-console-columns';

type Keys = readonly string[] | undefined;
type Choices = Readonly<Record<string, readonly string[]>>;

/** The keys of the chosen columns; undefined shows those that fit. */
function useColumns(list: string): [chosen: Keys, choose: (keys: Keys) => void] {
  const [choices, setChoices] = useState(read);
  return [
    choices[list],
    (keys) => {
      const { [list]: _former, ...others } = read();
      const next = keys === undefined ? others : { ...others, [list]: keys };
      localStorage.setItem(KEPT, JSON.stringify(next));
      setChoices(next);
    },
  ];
}

function read(): Choices {
  try {
    return (JSON.parse(localStorage.getItem(KEPT) ?? '{}') ?? {}) as Choices;
  } catch {
    return {};
  }
}

function Columns({
  columns,
  shown,
  chosen,
  onColumns,
}: {
  columns: readonly TableColumn[];
  shown: readonly string[];
  chosen: Keys;
  readonly onColumns: (keys: Keys) => void;
}): ReactElement {
  function toggle(key: string): void {
    const isShown = shown.includes(key);
    onColumns(
      columns.map((each) => each.key).filter((each) => (each === key ? !isShown : shown.includes(each))),
    );
  }
  return (
    <Popup className="table-columns">
      <summary aria-label="Columns" title="Columns">
        <span aria-hidden="true">⋯</span>
      </summary>
      <fieldset>
        <legend>Columns</legend>
        {columns.map(({ key, heading }) => (
          <label key={key}>
            <input
              type="checkbox"
              checked={shown.includes(key)}
              // The last one stays: a table without columns has no way back.
              disabled={shown.length === 1 && shown[0] === key}
              onChange={() => toggle(key)}
            />
            {heading || key}
          </label>
        ))}
        {/* Not disabled after its press, which would lose the focus. */}
        <button type="button" aria-disabled={chosen === undefined} onClick={() => onColumns(undefined)}>
          Those that fit
        </button>
      </fieldset>
    </Popup>
  );
}

/** The width of the element in ch of its font; unlimited until it is known. */
function useWidthInCh(element: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(Infinity);
  useLayoutEffect(() => {
    const target = element.current;
    if (!target) return undefined;
    const measure = (): void => {
      const zero = document.createElement('span');
      zero.className = 'table-ch';
      target.append(zero);
      const ch = zero.getBoundingClientRect().width;
      zero.remove();
      const { offsetWidth, clientWidth, parentElement } = target;
      // A strip beside the rows counts: it has what is beside the last cell elsewhere.
      const room = (parentElement?.clientWidth ?? offsetWidth) - (offsetWidth - clientWidth);
      if (ch > 0) setWidth(Math.floor(room / ch));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(target);
    measure();
    return () => observer.disconnect();
  }, [element]);
  return width;
}
