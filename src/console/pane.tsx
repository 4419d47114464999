/** One pane of a screen, by the same definition as in the inspector, and what its selected row leads to. */
import { useEffect, useState, type ReactNode, type UIEvent } from 'react';
import { printable, shownLines } from '../kernel/text/terminal-text.ts';
import type { PaneDefinition } from '../tui/screens/definition.ts';
import { screens } from '../tui/screens/registry.ts';
import { hasHeadings } from '../tui/state/geometry.ts';
import type { Row, Page, ScreenName, ScreenPlace } from '../tui/state/model.ts';
import { emptyText, rowsOf } from '../tui/state/panes.ts';
import { textOf, toneOf } from '../tui/state/rows.ts';
import { inWords } from '../tui/words.ts';
import { hashOf } from './routes.ts';
import type { PageRuntime } from './runtime.ts';
import { isJson, Json } from './rows-drawn.tsx';
import { Table, type TableProps } from './widgets/table.tsx';
import { DrawnTimeline } from './widgets/timeline.tsx';

export interface PaneViewProps extends TableProps {
  /** The rows are those of an earlier search. */
  readonly isOutdated: boolean;
  /** A timeline as a drawing, not as a list. */
  readonly isDrawn: boolean;
}

const ROW_PX = 30;

export function PaneView({ isOutdated, isDrawn, ...props }: PaneViewProps): ReactNode {
  const { definition, pane, at, isCurrent, act } = props;
  const onScroll = (event: UIEvent<HTMLDivElement>) => {
    const { scrollTop, clientHeight } = event.target as HTMLDivElement;
    const height = Math.max(1, Math.floor(clientHeight / ROW_PX) - 2);
    if (isCurrent) act({ kind: 'scroll', pane: at, top: Math.ceil(scrollTop / ROW_PX), height });
  };
  if (isJson(definition, pane.record)) return <Json label={definition.title} value={pane.record} />;
  if (isDrawn) return <DrawnTimeline rows={rowsOf(pane, definition)} empty={emptyText(definition, pane)} />;
  return (
    <div
      className={`pane-rows${hasHeadings(definition) ? '' : ' is-headless'}${isOutdated ? ' is-outdated' : ''}`}
      onScrollCapture={onScroll}
    >
      <Table {...props} />
    </div>
  );
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
              <span key={at} className={`tone-${toneOf(cell)}`}>
                {shownLines(textOf(cell)).join('\n')}{' '}
              </span>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}
