/** The whole window: the header, the pane, any overlay, and the key hints. */
import { maskedSearch } from '../../contract/facts/search.ts';
import { Box, Text, useInput } from 'ink';
import { useCallback, useSyncExternalStore, type ReactNode } from 'react';
import { displayWidth, printable, shortened } from '../../kernel/terminal-text.ts';
import type { Runtime } from '../runtime.ts';
import { screens } from '../screens/registry.ts';
import {
  besideOf,
  isTooSmall,
  overlayHeight,
  paneColumns,
  SMALLEST,
  tableHeight,
} from '../state/geometry.ts';
import type { Connection, Notice, State } from '../state/model.ts';
import { rowsOf } from '../state/panes.ts';
import { lengthOfHelp } from '../state/help.ts';
import { hintsFor } from '../state/hints.ts';
import { currentPane, currentView } from '../state/reading.ts';
import { isSortedInPart } from '../state/sorting.ts';
import { rowLines } from '../state/row-text.ts';
import { tabsOf } from '../state/tabs.ts';
import { pressAll } from '../typing.ts';
import { keysOf } from './keys.ts';
import { OverlayBox, RevealedBox, typingOf, type Typing } from './overlays.tsx';
import { TablePane } from './table-pane.tsx';
import { useTheme } from './theme.tsx';

export interface AppProps {
  readonly runtime: Runtime;
  readonly now: () => number;
}

export function App({ runtime, now }: AppProps): ReactNode {
  const state = useSyncExternalStore(runtime.subscribe, runtime.getState);
  const onInput = useCallback<Parameters<typeof useInput>[0]>(
    (input, key) => pressAll(runtime, keysOf(input, key), now),
    [runtime, now],
  );
  useInput(onInput);
  return <Window state={state} />;
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
  const view = currentView(state);
  const screen = screens[view.place.screen];
  const definition = screen.panes[view.pane];
  const pane = currentPane(state);
  const height = tableHeight(size, screen, view.pane, pane, state.revealed);
  const covers = state.overlay !== undefined && state.overlay.kind !== 'filter';
  return (
    <Box flexDirection="column" width={size.columns} height={size.rows - 1} overflowY="hidden">
      <Header state={state} />
      {screen.panes.length > 1 && <TabLine state={state} />}
      {covers ? (
        <OverlayBox state={state} />
      ) : (
        <>
          {pane.banner !== undefined && <Text wrap="truncate">{printable(pane.banner)}</Text>}
          {definition !== undefined && (
            <Box>
              <TablePane
                definition={definition}
                pane={pane}
                width={paneColumns(size, screen, view.pane)}
                height={height}
              />
              <Beside state={state} height={height} />
            </Box>
          )}
          {state.revealed !== undefined && (
            <RevealedBox revealed={state.revealed} now={state.now} size={size} />
          )}
        </>
      )}
      <Box flexGrow={1} />
      <Footer state={state} />
    </Box>
  );
}

/** The area right of the pane in a wide window: another pane, or the selected row in full. */
function Beside({ state, height }: { readonly state: State; readonly height: number }): ReactNode {
  const theme = useTheme();
  const { size } = state;
  const view = currentView(state);
  const screen = screens[view.place.screen];
  const beside = besideOf(size, screen, view.pane);
  if (beside === undefined) return null;
  const width = size.columns - paneColumns(size, screen, view.pane);
  const shown = beside.kind === 'pane' ? screen.panes[beside.at] : undefined;
  const pane = beside.kind === 'pane' ? view.panes[beside.at] : undefined;
  if (shown !== undefined && pane !== undefined) {
    const unselected = { ...pane, selected: -1, top: 0 };
    return <TablePane definition={shown} pane={unselected} width={width} height={Math.max(1, height - 1)} />;
  }
  return (
    <Box flexDirection="column" width={width}>
      {rowLines(state, width)
        .slice(0, height)
        .map((line, index) => (
          <Text key={index} {...theme.dim} wrap="truncate">
            {shortened(line, width)}
          </Text>
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
  const place = currentView(state).place;
  const link = connectionText(connection);
  // A problem with the daemon matters more than its name.
  const isLive = setup.environment === 'live';
  const mark = isLive ? (size.columns < WIDE_COLUMNS ? LIVE_MARK : LONG_LIVE_MARK) : '';
  const where = shortened(
    printable(
      `kyclone  ${setup.instance}${isLive ? '' : '  sandbox'}${setup.isReadonly ? '  read only' : ''}${isLive ? '  ' : ''}`,
    ),
    Math.max(1, size.columns - displayWidth(link.text) - displayWidth(mark) - 1),
  );
  const space = Math.max(
    1,
    size.columns - displayWidth(where) - displayWidth(mark) - displayWidth(link.text),
  );
  const way = state.views.slice(state.views.findLastIndex(({ isStart }) => isStart));
  const titles = way.map((each) => screens[each.place.screen].title(each.place.params));
  return (
    <Box flexDirection="column">
      <Text wrap="truncate">
        {where}
        {isLive && <Text {...theme.live}>{mark}</Text>}
        {' '.repeat(space)}
        <Text {...theme[link.tone]}>{link.text}</Text>
      </Text>
      <Text {...theme.title} wrap="truncate-start">
        {printable(titles.length > 1 ? titles.join(' › ') : screens[place.screen].title(place.params))}
      </Text>
    </Box>
  );
}

function connectionText(connection: Connection): Notice {
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
    <Text wrap="truncate">
      {before}
      {shown.map(({ at, text }) => (
        <Text key={at} {...(at === pane ? theme.tab : theme.dim)}>
          {text}
        </Text>
      ))}
      {after}
    </Text>
  );
}

function Footer({ state }: { readonly state: State }): ReactNode {
  const theme = useTheme();
  const { size, notice, busy, overlay } = state;
  const pane = currentPane(state);
  const typing = overlay && typingOf(overlay);
  if (typing !== undefined) {
    const mark = state.setup.environment === 'live' ? LIVE_MARK : '';
    const { prompt, before, at, after } = inWindow(typing, size.columns - displayWidth(mark));
    return (
      <Text wrap="truncate">
        {mark !== '' && <Text {...theme.live}>{mark}</Text>}
        {prompt + before}
        {theme.cursor.inverse === true ? '' : '|'}
        <Text {...theme.cursor}>{at}</Text>
        {after}
      </Text>
    );
  }
  const position = positionText(state);
  const room = size.columns - displayWidth(position) - 2;
  const said =
    busy !== undefined
      ? { text: `${busy} …`, tone: 'accent' as const }
      : overlay?.kind === 'help' || overlay?.kind === 'row' || overlay?.kind === 'results'
        ? undefined
        : (notice ?? (pane.problem === undefined ? undefined : { text: pane.problem, tone: 'bad' as const }));
  const text = room < 1 ? '' : shortened(printable(said?.text ?? hintsFor(state, room)), room);
  return (
    <Text wrap="truncate">
      <Text {...theme[said?.tone ?? 'dim']}>{text}</Text>
      {' '.repeat(Math.max(1, size.columns - displayWidth(text) - displayWidth(position)))}
      <Text {...theme.dim}>{position}</Text>
    </Text>
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

function positionText(state: State): string {
  const view = currentView(state);
  const definition = screens[view.place.screen].panes[view.pane];
  const pane = currentPane(state);
  if (definition === undefined) return '';
  const { overlay } = state;
  if (overlay?.kind === 'help' || overlay?.kind === 'row') {
    const length = overlay.kind === 'help' ? lengthOfHelp(state.setup.isReadonly) : rowLines(state).length;
    const shown = Math.min(length, overlay.top + overlayHeight(state.size));
    return shown === length && overlay.top === 0 ? '' : `to line ${shown} of ${length}`;
  }
  const count = rowsOf(pane, definition).length;
  const total = pane.filter === '' || definition.filteredBy === 'daemon' ? pane.total : undefined;
  const marks = [
    ...(pane.filter === '' ? [] : [`/${shortened(printable(maskedSearch(pane.filter)), 16)}`]),
    // While the pane loads, the reload is in flight already.
    ...(pane.isStale && pane.loading === undefined ? ['changed: R'] : []),
    ...(pane.follows ? ['follows'] : []),
    ...(isSortedInPart(pane) ? [`sorted: the ${pane.rows.length} loaded`] : []),
    ...(pane.marked.size === 0 ? [] : [`${pane.marked.size} marked`]),
  ];
  const all = total ?? `${count}${pane.next === null ? '' : '+'}`;
  if (count > 0) return [...marks, `${pane.selected + 1} of ${all}`].join('  ');
  // Nothing is known about a list that wasn't loaded.
  const isUnknown = pane.rows.length === 0 && (pane.problem !== undefined || !pane.isKnown);
  return [...marks, ...(isUnknown ? [] : ['0 of 0'])].join('  ');
}
