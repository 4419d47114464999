/**
 * The inspector in lines: without a window, overdrawing or colour. For screen readers, and for terminals that only
 * append.
 */
import { maskedSearch } from '../nouns/search/facts.ts';
import { printable, printableLines } from '../kernel/text/terminal-text.ts';
import { echoOf, announcedOverlay } from './linear-overlays.ts';
import type { PaneDefinition } from './screens/definition.ts';
import { openSession, sizeOf, type SessionOptions } from './session.ts';
import type { PaneState, Row, State } from './state/model.ts';
import { rowsOf } from './state/panes.ts';
import { currentList, currentView } from './state/reading.ts';
import { secondsLeft } from './state/revealed-text.ts';
import { textOf } from './state/rows.ts';
import { verifiedText } from './state/verified.ts';
import { keysIn, pressAll, wholeKeys } from './typing.ts';

/**
 * Returns the signal that ended it, or undefined when the user left. Throws CrashError when the inspector itself
 * failed.
 */
export async function linearInspect(options: SessionOptions): Promise<NodeJS.Signals | undefined> {
  const { stdin, stdout } = options;
  const session = openSession({ ...options, setup: { ...options.setup, isLinear: true } });
  const { runtime, now } = session;

  let announced: State | undefined;
  let isWithinLine = false;
  const say = () => {
    const state = runtime.getState();
    const echo = echoOf(announced?.overlay, state.overlay);
    const lines = announce(announced, state);
    announced = state;
    if (echo !== '') stdout.write(echo);
    isWithinLine ||= echo !== '';
    if (lines.length === 0) return;
    stdout.write(`${isWithinLine ? '\n' : ''}${printableLines(lines.join('\n'))}\n`);
    isWithinLine = false;
  };

  const onData = wholeKeys((text) => pressAll(runtime, keysIn(text), now));
  const onResize = () => runtime.dispatch({ type: 'resized', size: sizeOf(stdout) });
  const restore = () => {
    stdin.setRawMode(false);
  };

  const onContinue = () => stdin.setRawMode(true);
  session.suspendBy(restore);

  process.on('exit', restore);
  process.on('SIGCONT', onContinue);
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  // A prompt before, such as that of --user ?, has paused it.
  stdin.on('data', onData).resume();
  stdin.on('end', session.hungUp);
  stdout.on('resize', onResize);
  const silence = runtime.subscribe(say);
  try {
    say();
    session.follow();
    return await session.ended;
  } finally {
    silence();
    session.close();
    stdin.off('data', onData);
    stdin.off('end', session.hungUp);
    stdout.off('resize', onResize);
    stdin.pause();
    restore();
    process.off('SIGCONT', onContinue);
    process.off('exit', restore);
  }
}

// The inspector for a screen reader: the difference between two states, as lines to read one after another. Pure.
// Nothing is overdrawn, so every line has to make sense at its place.

/** The lines to report after a change; empty if the change doesn't matter. `before` is undefined at the start. */
export function announce(before: State | undefined, after: State): string[] {
  if (after.isLeaving) return before?.isLeaving === true ? [] : ['Left'];
  return [
    ...(before === undefined ? greeting(after) : []),
    ...connectionLines(before, after),
    ...noticeLines(before, after),
    ...revealedLines(before, after),
    ...verifiedLines(before, after),
    ...announcedOverlay(before?.overlay, after),
    ...placeLines(before, after),
  ];
}

function greeting({ setup }: State): string[] {
  const tenant = setup.tenant === undefined ? '' : `, tenant ${setup.tenant}`;
  const where = `kyclone, instance ${setup.instance}${tenant}, ${setup.environment}`;
  return [`${where}${setup.isReadonly ? ', read only' : ''}`, 'question mark lists all keys, q leaves'];
}

function connectionLines(before: State | undefined, { connection, notice }: State): string[] {
  if (before?.connection === connection) return [];
  switch (connection.kind) {
    case 'connecting':
      return [];
    case 'live':
      // After a loss, the notice reports it.
      if (before?.connection.kind === 'live' || (notice !== undefined && notice !== before?.notice))
        return [];
      return ['Connected: changes are reported as they happen'];
    case 'lost':
      if (before?.connection.kind === 'lost' && before.connection.why === connection.why) return [];
      return [`The daemon is lost: ${printable(connection.why)}. It is tried again; R tries now`];
    case 'other_version':
      return [
        `The daemon is ${printable(connection.daemon)}, this is ${printable(connection.own)}: kyclone restart`,
      ];
  }
}

function noticeLines(before: State | undefined, { notice, busy }: State): string[] {
  return [
    ...(busy !== undefined && busy !== before?.busy ? [`In progress: ${busy}`] : []),
    ...(notice !== undefined && notice !== before?.notice ? [printable(notice.text)] : []),
  ];
}

/** The newest results alone: the others were said. */
function verifiedLines(before: State | undefined, { verified }: State): string[] {
  const known = before?.verified?.fields ?? [];
  const fields = verified?.fields.filter((field) => !known.includes(field)) ?? [];
  return fields.map((field) => printable(verifiedText(field)));
}

/** In a terminal that only goes on, a value can't be taken back: that is said with it. */
function revealedLines(before: State | undefined, { revealed, now }: State): string[] {
  const was = before?.revealed;
  // The linear view showed a value whole, where a window would scroll.
  if (revealed?.values === was?.values) return [];
  if (revealed === undefined) {
    return ['Hidden. The value still stands above, in the scrollback of this terminal: clear it when done'];
  }
  return [
    `${printable(revealed.title)}, revealed for ${secondsLeft(revealed, now)} s, and in the scrollback of this terminal until it is cleared:`,
    ...revealed.values.map(printable),
  ];
}

function placeLines(before: State | undefined, after: State): string[] {
  const { view, screen, definition, pane } = currentList(after);
  const was = before && currentView(before);
  const isNewView = was?.id !== view.id;
  const isNewPane = isNewView || was.pane !== view.pane;
  const lines = isNewView ? [printable(screen.title(view.place.params))] : [];
  if (isNewPane && screen.panes.length > 1)
    lines.push(`Pane ${view.pane + 1} of ${screen.panes.length}: ${definition.title}`);
  const paneBefore = isNewPane ? undefined : was.panes[view.pane];
  return [...lines, ...paneLines(definition, paneBefore, pane, before, after)];
}

function paneLines(
  definition: PaneDefinition,
  was: PaneState | undefined,
  pane: PaneState,
  before: State | undefined,
  after: State,
): string[] {
  if (isWaiting(pane)) return [];
  const wasWaiting = was === undefined || isWaiting(was);
  const lines: string[] = [];
  if (pane.problem !== undefined && (wasWaiting || pane.problem !== was.problem))
    lines.push(printable(pane.problem));
  const isRecovered = was?.problem !== undefined && pane.problem === undefined;
  const count = countText(definition, pane);
  const isCounted = wasWaiting || isRecovered || count !== countText(definition, was);
  if (isCounted && (pane.problem === undefined || pane.rows.length > 0)) lines.push(count);
  if (pane.banner !== undefined && (wasWaiting || pane.banner !== was.banner))
    lines.push(printable(pane.banner));
  if (pane.isStale && was?.isStale === false) lines.push('More has happened: R loads it');
  if (was !== undefined && pane.follows !== was.follows)
    lines.push(pane.follows ? 'Follows the newest' : 'No longer follows');
  // Rows may come and go while the user types. The selected row is reported afterwards.
  if (after.overlay !== undefined) return lines;
  const row = rowText(definition, pane);
  const isBack = before?.overlay !== undefined && after.busy === undefined;
  if (row !== undefined && (wasWaiting || isBack || row !== rowText(definition, was))) lines.push(row);
  return lines;
}

/** Whether the requested rows are not loaded yet. The present rows may belong to an earlier search. */
function isWaiting({ rows, loading, isKnown, generation, problem }: PaneState): boolean {
  if (problem !== undefined) return false;
  return loading === undefined ? rows.length === 0 && generation === 0 : rows.length === 0 || !isKnown;
}

function countText(definition: PaneDefinition, pane: PaneState): string {
  const { filter, next, total } = pane;
  const shown = rowsOf(pane, definition).length;
  const isFiltered = filter !== '';
  if (shown === 0)
    return isFiltered ? `Nothing matches the filter ${printable(maskedSearch(filter))}` : definition.empty;
  const isAll = !isFiltered || definition.filteredBy === 'daemon';
  const count = isAll && total !== undefined ? String(total) : `${shown}${next === null ? '' : ' or more'}`;
  const with_ = isFiltered ? `, filter ${printable(maskedSearch(filter))}` : '';
  return `${definition.title}: ${count} ${count === '1' ? 'row' : 'rows'}${with_}`;
}

/** `3 of 120: heading value, heading value`, without empty values. */
function rowText(definition: PaneDefinition, pane: PaneState): string | undefined {
  const rows = rowsOf(pane, definition);
  const row = rows[pane.selected];
  if (row === undefined) return undefined;
  const isAll = pane.filter === '' || definition.filteredBy === 'daemon';
  const all = (isAll ? pane.total : undefined) ?? `${rows.length}${pane.next === null ? '' : ' or more'}`;
  return `${pane.selected + 1} of ${all}: ${cellsText(definition, row)}`;
}

function cellsText({ columns }: PaneDefinition, { cells }: Row): string {
  return columns
    .flatMap(({ heading }, at) => {
      const text = textOf(cells[at]).trim();
      if (text === '' || text === '-') return [];
      return [heading === '' ? printable(text) : `${heading.toLowerCase()} ${printable(text)}`];
    })
    .join(', ');
}
