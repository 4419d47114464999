/** A screen of the inspector, printed: its panes one after another, each under its title. */
import type { ScreenText } from './open.ts';
import { table } from '../shell/layout.ts';
import { printable, type Style } from '../shell/output.ts';

type PaneText = ScreenText['panes'][number];

export function screenView({ title, panes }: ScreenText, style: Style): string {
  const [only] = panes;
  if (only !== undefined && panes.length === 1) return paneText(only, style);
  const parts = panes.map((pane) => `${style.bold(printable(pane.title))}\n${paneText(pane, style)}`);
  return [printable(title), ...parts].join('\n\n');
}

function paneText(pane: PaneText, style: Style): string {
  return [
    ...(pane.banner === null ? [] : [printable(pane.banner)]),
    tableText(pane, style),
    ...(pane.more ? [style.dim(moreText(pane))] : []),
  ].join('\n');
}

function tableText({ headings, rows, note }: PaneText, style: Style): string {
  if (rows.length === 0) return printable(note);
  const kept = headings.flatMap((_, at) => (rows.some((row) => isTold(row[at])) ? [at] : []));
  const of = (cells: readonly string[]) => kept.map((at) => cells[at] ?? '');
  const text = table(of(headings), rows.map(of), style, '');
  // A line of headings that are all empty says nothing.
  return headings.some((heading) => heading !== '') ? text : text.slice(text.indexOf('\n') + 1);
}

/** A column in which nothing stands makes way for the others. */
function isTold(cell: string | undefined): boolean {
  return cell !== undefined && cell !== '' && cell !== '-';
}

function moreText({ rows, total }: PaneText): string {
  return total === null ? `The first ${rows.length}; there are more` : `The first ${rows.length} of ${total}`;
}
