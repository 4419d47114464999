/** The whole window: where we are, the pane, what is open over it, and what to press. */
import { Box, Text } from 'ink';
import { type ReactNode, useSyncExternalStore } from 'react';
import { displayWidth, padded, printable, shortened } from '../../kernel/text/terminal-text.ts';
import type { Runtime } from '../runtime.ts';
import type { PaneDefinition } from '../screens/definition.ts';
import {
  COLUMN_GAP,
  fitted,
  placeColumns,
  type PlacedColumn,
  besideOf,
  hasHeadings,
  isTooSmall,
  paneColumns,
  SMALLEST,
} from '../state/geometry.ts';
import { footOf } from '../state/foot.ts';
import { heightOf } from '../state/heights.ts';
import type { ConnectionState, Notice, PaneState, Row, State } from '../state/model.ts';
import { emptyText, rowsOf } from '../state/panes.ts';
import { currentList, currentView, isGone, wayHere } from '../state/reading.ts';
import { rowLines } from '../state/row-text.ts';
import { textOf, toneOf } from '../state/rows.ts';
import { tabsOf } from '../state/tabs.ts';
import { isSearching } from '../state/searching.ts';
import { shownVerified } from '../state/verified.ts';
import { OverlayBox, RevealedBox, typingOf, type Typing } from './overlays.tsx';
import { useTheme, Line } from './theme.tsx';

// The visible rows of a pane, under their headings.

const MARK = '> ';
const NO_MARK = '  ';
const MARKED = '* ';
const SELECTED_AND_MARKED = '>*';

interface TablePaneProps {
  readonly definition: PaneDefinition;
  readonly pane: PaneState;
  /** The rows are those of an earlier search. */
  readonly isOutdated?: boolean;
  readonly width: number;
  readonly height: number;
}

function TablePane({ definition, pane, isOutdated = false, width, height }: TablePaneProps): ReactNode {
  const rows = rowsOf(pane, definition);
  const drawn = rows.slice(pane.top, pane.top + height);
  const placed = placeColumns(definition.columns, drawn, width - MARK.length);
  return (
    <Box flexDirection="column" width={width} height={height + (hasHeadings(definition) ? 1 : 0)}>
      {hasHeadings(definition) && (
        <Line tone="dim">
          {NO_MARK +
            placed
              .map(({ at, width: cells }) => headingText(definition, pane, at, cells))
              .join(' '.repeat(COLUMN_GAP))}
        </Line>
      )}
      {drawn.map((row, index) => (
        <TableRow
          key={row.key}
          row={row}
          isSelected={pane.top + index === pane.selected}
          isMarked={pane.marked.has(row.key)}
          isOutdated={isOutdated}
          placed={placed}
          definition={definition}
        />
      ))}
      {drawn.length === 0 && (
        <Line tone="dim">
          {NO_MARK + shortened(printable(emptyText(definition, pane)), width - NO_MARK.length)}
        </Line>
      )}
    </Box>
  );
}

function headingText({ columns }: PaneDefinition, { sort }: PaneState, at: number, width: number): string {
  const heading = columns[at]?.heading ?? '';
  const text = sort?.column === at ? `${heading}${sort.descending ? '↓' : '↑'}` : heading;
  return aligned(shortened(text, width), width, columns[at]?.align);
}

interface TableRowProps {
  readonly row: Row;
  readonly isSelected: boolean;
  readonly isMarked: boolean;
  readonly isOutdated: boolean;
  readonly placed: readonly PlacedColumn[];
  readonly definition: PaneDefinition;
}

function TableRow({ row, isSelected, isMarked, isOutdated, placed, definition }: TableRowProps): ReactNode {
  const theme = useTheme();
  const cells = placed.map(({ at, width }) => {
    const cell = row.cells[at];
    const column = definition.columns[at];
    const text = aligned(fitted(printable(textOf(cell)), width, column), width, column?.align);
    return { at, text, tone: isOutdated ? ('dim' as const) : toneOf(cell) };
  });
  if (isSelected && !isOutdated) {
    return (
      <Line tone="selected">
        {(isMarked ? SELECTED_AND_MARKED : MARK) + cells.map(({ text }) => text).join(' '.repeat(COLUMN_GAP))}
      </Line>
    );
  }
  return (
    <Line>
      {isMarked ? MARKED : NO_MARK}
      {cells.map(({ at, text, tone }, index) => (
        <Text key={at} {...theme[tone]}>
          {(index === 0 ? '' : ' '.repeat(COLUMN_GAP)) + text}
        </Text>
      ))}
    </Line>
  );
}

function aligned(text: string, width: number, align: 'right' | undefined): string {
  return align === 'right' ? ' '.repeat(Math.max(0, width - displayWidth(text))) + text : padded(text, width);
}

export function App({ runtime }: { readonly runtime: Runtime }): ReactNode {
  return <Window state={useSyncExternalStore(runtime.subscribe, runtime.getState)} />;
}

/** Draws a frame from a state alone. */
export function Window({ state }: { readonly state: State }): ReactNode {
  const { size } = state;
  if (isTooSmall(size)) {
    const text = `Too small: ${size.columns} x ${size.rows}, needed are ${SMALLEST.columns} x ${SMALLEST.rows}; ctrl-c leaves`;
    return (
      <Box width={size.columns} height={Math.max(1, size.rows - 1)} overflow="hidden">
        <Text>{text}</Text>
      </Box>
    );
  }
  const { view, screen, definition, pane } = currentList(state);
  const height = heightOf(state);
  const covers = state.overlay !== undefined && state.overlay.kind !== 'filter';
  return (
    <Box flexDirection="column" width={size.columns} height={size.rows - 1} overflowY="hidden">
      <Header state={state} />
      {screen.panes.length > 1 && <TabLine state={state} />}
      {covers ? (
        <OverlayBox state={state} />
      ) : (
        <>
          {pane.banner !== undefined && <Line>{printable(pane.banner)}</Line>}
          <Box>
            <TablePane
              definition={definition}
              pane={pane}
              isOutdated={isSearching(state)}
              width={paneColumns(size, screen, view.pane)}
              height={height}
            />
            <Beside state={state} height={height} />
          </Box>
          {state.revealed !== undefined && (
            <RevealedBox revealed={state.revealed} now={state.now} size={size} />
          )}
        </>
      )}
      <Box flexGrow={1} />
      <VerifiedLines state={state} />
      <Footer state={state} />
    </Box>
  );
}

/** What the caller's words came to. */
function VerifiedLines({ state }: { readonly state: State }): ReactNode {
  return shownVerified(state).map(({ tone, text }, index) => (
    <Line key={text} tone={tone}>
      {printable(`${text}${index === 0 ? ' (escape clears this)' : ''}`)}
    </Line>
  ));
}

/** What stands right of the pane where the window is wide: another pane, or the selected row in full. */
function Beside({ state, height }: { readonly state: State; readonly height: number }): ReactNode {
  const { size } = state;
  const { view, screen } = currentList(state);
  const beside = besideOf(size, screen, view.pane);
  if (beside === undefined || isGone(view)) return null;
  const width = size.columns - paneColumns(size, screen, view.pane);
  const shown = beside.kind === 'pane' ? screen.panes[beside.at] : undefined;
  const pane = beside.kind === 'pane' ? view.panes[beside.at] : undefined;
  if (shown !== undefined && pane !== undefined) {
    const unselected = { ...pane, selected: -1, top: 0 };
    return <TablePane definition={shown} pane={unselected} width={width} height={Math.max(1, height - 1)} />;
  }
  if (isSearching(state)) return null;
  return (
    <Box flexDirection="column" width={width}>
      {rowLines(state, width)
        .slice(0, height)
        .map((line, index) => (
          <Line key={index} tone="dim">
            {shortened(line, width)}
          </Line>
        ))}
    </Box>
  );
}

/** Marks the environment of real customers, in the header and before every typed line. */
const LIVE_MARK = ' LIVE ';
const LONG_LIVE_MARK = ' LIVE ENVIRONMENT ';
/** The width from which the long mark and the rest of the header fit. */
const WIDE_COLUMNS = 80;

function Header({ state }: { readonly state: State }): ReactNode {
  const theme = useTheme();
  const { setup, connection, size } = state;
  const link = connectionText(connection);
  // A problem with the daemon matters more than its name.
  const isLive = setup.environment === 'live';
  const mark = isLive ? (size.columns < WIDE_COLUMNS ? LIVE_MARK : LONG_LIVE_MARK) : '';
  const where = shortened(
    printable(
      `kyclone  ${setup.instance}${setup.tenant === undefined ? '' : `  tenant ${setup.tenant}`}${isLive ? '' : '  sandbox'}${setup.isReadonly ? '  read only' : ''}${
        state.operator === undefined ? '' : `  as ${state.operator}`
      }${isLive ? '  ' : ''}`,
    ),
    Math.max(1, size.columns - displayWidth(link.text) - displayWidth(mark) - 1),
  );
  const space = Math.max(
    1,
    size.columns - displayWidth(where) - displayWidth(mark) - displayWidth(link.text),
  );
  const titles = wayHere(state).map(({ title }) => title);
  return (
    <Box flexDirection="column">
      <Line>
        {where}
        {isLive && <Text {...theme.live}>{mark}</Text>}
        {' '.repeat(space)}
        <Text {...theme[link.tone]}>{link.text}</Text>
      </Line>
      <Text {...theme.title} wrap="truncate-start">
        {printable(titles.join(' › '))}
        {isSearching(state) ? ' · searching …' : ''}
      </Text>
    </Box>
  );
}

function connectionText(connection: ConnectionState): Notice {
  switch (connection.kind) {
    case 'live':
      return { text: 'connected', tone: 'good' };
    case 'connecting':
      return { text: 'connecting …', tone: 'dim' };
    case 'lost':
      return { text: 'DAEMON LOST, trying again (R: now)', tone: 'bad' };
    case 'other_version':
      return {
        text: `DAEMON ${printable(connection.daemon)}, THIS ${connection.own}: kyclone restart`,
        tone: 'warn',
      };
  }
}

function TabLine({ state }: { readonly state: State }): ReactNode {
  const theme = useTheme();
  const { pane } = currentView(state);
  const { shown, before, after } = tabsOf(state);
  return (
    <Line>
      {before}
      {shown.map(({ at, text }) => (
        <Text key={at} {...(at === pane ? theme.tab : theme.dim)}>
          {text}
        </Text>
      ))}
      {after}
    </Line>
  );
}

function Footer({ state }: { readonly state: State }): ReactNode {
  const theme = useTheme();
  const { size, overlay } = state;
  const typing = overlay && typingOf(overlay);
  if (typing !== undefined) {
    const mark = state.setup.environment === 'live' ? LIVE_MARK : '';
    const { prompt, before, at, after } = inWindow(typing, size.columns - displayWidth(mark));
    return (
      <Line>
        {mark !== '' && <Text {...theme.live}>{mark}</Text>}
        {prompt + before}
        {theme.cursor.inverse === true ? '' : '|'}
        <Text {...theme.cursor}>{at}</Text>
        {after}
      </Line>
    );
  }
  const { lines, tone, position } = footOf(state);
  const last = lines.at(-1) ?? '';
  return (
    <>
      {lines.slice(0, -1).map((line, index) => (
        <Line key={index} tone={tone}>
          {line}
        </Line>
      ))}
      <Line>
        <Text {...theme[tone]}>{last}</Text>
        {' '.repeat(Math.max(1, size.columns - displayWidth(last) - displayWidth(position)))}
        <Text {...theme.dim}>{position}</Text>
      </Line>
    </>
  );
}

/** The part of a long line around its cursor. */
function inWindow(typing: Typing, columns: number): Typing {
  const shown = (text: string) => (text === '' ? '' : printable(text));
  const prompt = shortened(typing.prompt, Math.floor(columns / 2));
  const at = shown(typing.at);
  const room = columns - displayWidth(prompt) - displayWidth(at) - 1;
  const before = shown(typing.before);
  const characters = Array.from(before);
  let width = displayWidth(before);
  let from = 0;
  while (width > room) width -= displayWidth(characters[from++] ?? ' ');
  return {
    prompt,
    before: from === 0 ? before : characters.slice(from).join(''),
    at,
    after: shortened(shown(typing.after), Math.max(1, room - width)),
  };
}
