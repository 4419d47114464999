/** Draws a terminal's screen as a window in SVG. It is a dark card, for pages with a light or a dark background. */
import type { Cell, Screen } from './piped-terminal.ts';

const FONT_SIZE = 14;
const CELL_WIDTH = 8.4;
const ROW_HEIGHT = 20;
const BASELINE = 14.5;
const PADDING = 22;
const TITLE_HEIGHT = 42;
const FONTS =
  "ui-monospace, SFMono-Regular, 'SF Mono', Menlo, 'Cascadia Mono', Consolas, 'Liberation Mono', 'DejaVu Sans Mono', monospace";

const CARD = '#151a23';
const BORDER = '#39424f';
const TEXT = '#d3dae5';
const TITLE = '#8b96a5';
const BUTTONS = ['#f4716a', '#f3bd4f', '#5bc466'];
const PALETTE = [
  '#3d4653',
  '#ff8087',
  '#8fd18b',
  '#f0c674',
  '#7fb4ff',
  '#d0a2f2',
  '#6ed0d6',
  '#d3dae5',
  '#788494',
  '#ff9da2',
  '#a9e2a5',
  '#f7d998',
  '#a3caff',
  '#e0bff7',
  '#93e0e5',
  '#f4f7fb',
];

/** `columns`: the width of the window. Throws for a colour that is not one of the terminal's 16. */
export function svgOf(screen: Screen, { title, columns }: { title: string; columns: number }): string {
  const width = Math.ceil(columns * CELL_WIDTH + 2 * PADDING);
  const height = TITLE_HEIGHT + screen.length * ROW_HEIGHT + PADDING;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="${FONTS}" font-size="${FONT_SIZE}" fill="${TEXT}">`,
    `<title>${escaped(title)}</title>`,
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="10" fill="${CARD}" stroke="${BORDER}"/>`,
    ...BUTTONS.map(
      (colour, at) => `<circle cx="${PADDING + 6 + at * 19}" cy="20" r="5.5" fill="${colour}"/>`,
    ),
    `<text x="${width / 2}" y="24.5" text-anchor="middle" font-size="13" fill="${TITLE}">${escaped(title)}</text>`,
    ...screen.map((row, at) => svgOfRow(row, TITLE_HEIGHT + at * ROW_HEIGHT)),
    '</svg>',
    '',
  ].join('\n');
}

function svgOfRow(row: readonly Cell[], top: number): string {
  const fields = runsOf(row, backgroundOf).map(
    ({ place, look }) => `<rect ${place('width')} y="${top}" height="${ROW_HEIGHT}" fill="${look}"/>`,
  );
  // Each word has its place and its length, so that columns stay in line whatever the reader's font.
  const words = runsOf(row, lookOf).map(
    ({ place, look, text }) =>
      `<text ${place('textLength')} y="${top + BASELINE}" lengthAdjust="spacingAndGlyphs"${look}>${escaped(text)}</text>`,
  );
  return [...fields, ...words].join('');
}

interface Run {
  /** The attributes for where it begins and how long it is. */
  readonly place: (length: string) => string;
  readonly look: string;
  readonly text: string;
}

/** Neighbouring cells that look the same. Cells without a look are left out. */
function runsOf(row: readonly Cell[], lookOf: (cell: Cell) => string | undefined): readonly Run[] {
  const runs: { column: number; columns: number; look: string; text: string }[] = [];
  let column = 0;
  for (const cell of row) {
    const look = lookOf(cell);
    const last = runs.at(-1);
    if (look !== undefined && last?.look === look && last.column + last.columns === column) {
      last.columns += cell.width;
      last.text += cell.text;
    } else if (look !== undefined) runs.push({ column, columns: cell.width, look, text: cell.text });
    column += cell.width;
  }
  return runs.map(({ column, columns, look, text }) => ({
    place: (length) =>
      `x="${rounded(PADDING + column * CELL_WIDTH)}" ${length}="${rounded(columns * CELL_WIDTH)}"`,
    look,
    text,
  }));
}

function lookOf({ text, foreground, background, isBold, isDim, isInverse }: Cell): string | undefined {
  if (text === ' ') return undefined;
  const colour = isInverse ? (colourOf(background) ?? CARD) : colourOf(foreground);
  return [
    colour === undefined ? '' : ` fill="${colour}"`,
    isBold ? ' font-weight="700"' : '',
    isDim ? ' opacity=".62"' : '',
  ].join('');
}

function backgroundOf({ foreground, background, isInverse }: Cell): string | undefined {
  return isInverse ? (colourOf(foreground) ?? TEXT) : colourOf(background);
}

function colourOf(number: number | undefined): string | undefined {
  if (number === undefined) return undefined;
  const colour = PALETTE[number];
  if (colour === undefined) throw new Error(`A picture has no colour ${number}: PALETTE has 16`);
  return colour;
}

const rounded = (length: number) => Math.round(length * 10) / 10;

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
