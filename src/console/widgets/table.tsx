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
  type FocusEvent,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
} from 'react';
import {
  columnWidths,
  fittingColumns,
  movedIndex,
  nextSort,
  rowLayout,
  shrunkWidths,
  type TableColumn,
  type TableSort,
} from './table-layout.ts';
import './table.css';

export interface DrawnColumn<Row> extends TableColumn<Row> {
  /** Draws the cell where a text is too little: a tone, a mark, a link. `shown` are the keys of the shown columns. */
  readonly cell?: (row: Row, shown: readonly string[]) => ReactNode;
}

export interface TableProps<Row> {
  /** Names the table for screen readers. */
  readonly label: string;
  readonly columns: readonly DrawnColumn<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** The text for no rows. */
  readonly empty: string;
  /** The key of the selected row. */
  readonly selected: string | undefined;
  /** A row was clicked, or a key moved the selection to it. */
  readonly onSelect: (row: Row) => void;
  /** Enter or a double click. */
  readonly onOpen: (row: Row) => void;
  /** The keys of the rows that are marked. Space marks the selected row. */
  readonly marked: ReadonlySet<string>;
  readonly onMark: (row: Row) => void;
  /** How the rows are sorted. */
  readonly sort: TableSort | undefined;
  readonly onSort: (sort: TableSort | undefined) => void;
  /** The keys of the chosen columns; undefined shows those that fit. */
  readonly shown: readonly string[] | undefined;
  readonly onColumns: (keys: readonly string[] | undefined) => void;
  /** The last row came into view; more can be loaded. */
  readonly onEnd?: () => void;
  readonly isBusy: boolean;
}

const ROW_PX = 30;
const OVERSCAN = 8;
/** What stands beside the cells of a row. */
const EDGES_CH = 7;

/** Draws the rows as they come. They are compared by `rowKey`, so new objects keep the selection. */
export function Table<Row>(props: TableProps<Row>): ReactElement {
  const { label, columns, rows, rowKey, empty, selected, marked, sort, shown: chosen } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const available = useWidthInCh(scroller);

  const widths = useMemo(() => columnWidths(columns, rows), [columns, rows]);
  const keys = chosen ?? fittingColumns(columns, widths, available);
  const shown = columns.filter(({ key }) => keys.includes(key));
  const shownKeys = shown.map(({ key }) => key);
  const wanted = shown.map((column) => widths[columns.indexOf(column)] ?? 0);
  const { tracks, leastCh } = rowLayout(shown, shrunkWidths(shown, wanted, available - EDGES_CH));
  // Every row has the same, whatever its texts are, so that columns stay below their headings.
  const layout = { gridTemplateColumns: tracks, minWidth: `calc(${leastCh}ch + var(--table-edges))` };

  const index = selected === undefined ? -1 : rows.findIndex((row) => rowKey(row) === selected);
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
  }, [selected]);

  const onEnd = useRef(props.onEnd);
  useEffect(() => {
    onEnd.current = props.onEnd;
  });
  const isAtEnd = rows.length > 0 && items.some((item) => item.index === rows.length - 1);
  useEffect(() => {
    if (isAtEnd) onEnd.current?.();
  }, [isAtEnd, rows.length]);

  function onKeyDown(event: KeyboardEvent): void {
    // The buttons of the headings have keys of their own.
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? ROW_PX) / ROW_PX) - 2);
    const moved = movedIndex(event.key, { index, count: rows.length, page });
    const row = rows[moved ?? index];
    if (row === undefined) return;
    if (moved !== undefined) props.onSelect(row);
    else if (event.key === 'Enter') props.onOpen(row);
    else if (event.key === ' ') props.onMark(row);
    else return;
    event.preventDefault();
  }

  return (
    <div className={leastCh > available - EDGES_CH ? 'table is-cut' : 'table'}>
      <div
        ref={scroller}
        className="table-grid"
        role="grid"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-colcount={shown.length}
        aria-busy={props.isBusy}
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
                onSort={() => props.onSort(nextSort(sort, column.key))}
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
                {empty}
              </div>
            </div>
          )}
          {items.map((item) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            const key = rowKey(row);
            return (
              <div
                key={key}
                id={`${id}-${item.index}`}
                role="row"
                aria-rowindex={item.index + 2}
                aria-selected={marked.has(key)}
                className={`table-row${item.index === index ? ' is-selected' : ''}${marked.has(key) ? ' is-marked' : ''}`}
                style={{ ...layout, transform: `translateY(${item.start}px)` }}
                onClick={() => props.onSelect(row)}
                onDoubleClick={() => props.onOpen(row)}
              >
                {shown.map((column) => (
                  <Cell key={column.key} column={column} row={row} shown={shownKeys} />
                ))}
              </div>
            );
          })}
        </div>
      </div>
      {columns.some(({ heading }) => heading !== '') && (
        <Columns columns={columns} shown={keys} chosen={chosen} onColumns={props.onColumns} />
      )}
    </div>
  );
}

function Heading<Row>({
  column,
  sort,
  onSort,
}: {
  column: TableColumn<Row>;
  sort: TableSort | undefined;
  readonly onSort: () => void;
}): ReactElement {
  const direction = sort?.column !== column.key ? 'none' : sort.isDescending ? 'descending' : 'ascending';
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

function Cell<Row>({
  column,
  row,
  shown,
}: {
  column: DrawnColumn<Row>;
  row: Row;
  readonly shown: readonly string[];
}): ReactElement {
  const text = column.text(row);
  return (
    <div
      role="gridcell"
      title={text}
      className={column.align === 'right' ? 'table-cell is-right' : 'table-cell'}
    >
      {column.cell ? column.cell(row, shown) : text}
    </div>
  );
}

function Columns<Row>({
  columns,
  shown,
  chosen,
  onColumns,
}: {
  columns: readonly TableColumn<Row>[];
  shown: readonly string[];
  chosen: readonly string[] | undefined;
  readonly onColumns: (keys: readonly string[] | undefined) => void;
}): ReactElement {
  const details = useRef<HTMLDetailsElement>(null);
  function close(): void {
    if (details.current) details.current.open = false;
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || !details.current?.open) return;
    close();
    details.current.querySelector('summary')?.focus();
    event.preventDefault();
    event.stopPropagation();
  }
  function onBlur({ relatedTarget }: FocusEvent): void {
    // A press on a label or on the frame moves the focus to nothing, and the list stays open.
    if (relatedTarget !== null && !details.current?.contains(relatedTarget)) close();
  }
  function toggle(key: string): void {
    const isShown = shown.includes(key);
    onColumns(
      columns.map((each) => each.key).filter((each) => (each === key ? !isShown : shown.includes(each))),
    );
  }
  return (
    <details ref={details} className="table-columns" onKeyDown={onKeyDown} onBlur={onBlur}>
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
    </details>
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
