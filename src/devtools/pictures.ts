/**
 * Draws docs/pictures: what the built program prints in the runs below. The same runs draw the same pictures, so a test
 * compares them.
 */
import './gone-reader.ts';
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import xterm, { type IBufferCell, type Terminal } from '@xterm/headless';
import type { GeneratedFile } from './generate.ts';

// Draws a terminal's screen as a window in SVG. It is a dark card, for pages with a light or a dark background.

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

const ROOT = join(import.meta.dirname, '..', '..');

const START = 'kyclone start --detach --ephemeral --port 0 --seed tour --clock 2026-03-02T08:14:00Z';

/** The seed makes this id. */
const JANE = 'fp_id_lnpnAc8dAzmgizP0jyLQ5P';

const TOUR = {
  path: 'docs/pictures/tour.svg',
  columns: 104,
  lines: [
    'kyclone users create id.first_name=Jane id.last_name=Doe id.dob=1988-12-30 id.ssn9=123-45-6789 \\\n' +
      '  id.address_line1="1 Main St" id.city=Boston id.state=MA id.zip=02108 id.country=US',
    `kyclone vault get ${JANE}`,
    `kyclone vault decrypt ${JANE} id.ssn9 --reason "support case 4711" --as Ada`,
    `kyclone users timeline ${JANE} --kind read`,
    `kyclone users kyc ${JANE} --result manual_review`,
  ],
};

const INSPECTOR = {
  path: 'docs/pictures/inspect.svg',
  columns: 120,
  rows: 31,
  prepared: `
    kyclone fake user --seed 7 --json | kyclone users create --external-id customer-4711 --data -
    kyclone clock advance 4m
    kyclone outcomes create manual_review --external-id customer-4711 --add-signal watchlist_hit_ofac
    kyclone users kyc customer-4711
    kyclone clock advance 26m
    kyclone vault decrypt customer-4711 id.dob id.phone_number --reason "support case 4711" --as Ada
    kyclone clock advance 6m
    kyclone notes create customer-4711 "Passport requested by e-mail" --as Ada
    kyclone users tag customer-4711 vip
    kyclone clock advance 3h
    kyclone bank link --user customer-4711`,
  line: 'kyclone inspect --user customer-4711 --as Ada',
  shows: /connected[^]*^\[Overview\](?: \w+ \d+ ?)+ ›$[^]* Created$[^]*1 of \d+/m,
};

/** Every picture, as the built program draws it now. */
export async function pictures(): Promise<readonly GeneratedFile[]> {
  return await Promise.all([drawTour(), drawInspector()]);
}

async function drawTour(): Promise<GeneratedFile> {
  using instance = startInstance('');
  const { path, columns, lines } = TOUR;
  const terminal = new PipedTerminal({ columns, rows: 100 }, instance.environment);
  for (const line of lines) await terminal.type(line);
  return { path, content: svgOf(terminal.screen(), { title: 'kyclone', columns }) };
}

async function drawInspector(): Promise<GeneratedFile> {
  const { path, columns, rows, prepared, line, shows } = INSPECTOR;
  using instance = startInstance(prepared);
  const terminal = new PipedTerminal({ columns, rows }, instance.environment);
  return { path, content: svgOf(await terminal.open(line, shows), { title: 'kyclone inspect', columns }) };
}

/** Starts an instance in a home of its own, and runs the shell's lines of `prepared`. */
function startInstance(prepared: string): Disposable & { readonly environment: NodeJS.ProcessEnv } {
  const home = mkdtempSync(join(tmpdir(), 'kyclone-pictures-'));
  const bin = join(home, 'bin');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'kyclone'),
    `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'bin', 'kyclone.js')}' "$@"\n`,
  );
  chmodSync(join(bin, 'kyclone'), 0o755);
  const environment = {
    PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
    HOME: home,
    KYCLONE_HOME: home,
    KYCLONE_NO_KEYCHAIN: '1',
    LANG: 'C.UTF-8',
  };
  const run = (script: string) =>
    execFileSync('sh', ['-c', `set -e\n${script}`], {
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  const end = () => {
    run('kyclone stop');
    rmSync(home, { recursive: true, force: true });
  };
  try {
    run(`${START}\n${prepared}`);
  } catch (error) {
    end();
    throw error;
  }
  return { environment, [Symbol.dispose]: end };
}

// A terminal without a window or a pseudo-terminal. Programs write to pipes, which they take for a terminal
// (as-terminal.cjs), and xterm.js turns what they write into cells.

interface Cell {
  /** A blank cell has a space. */
  readonly text: string;
  /** Columns. */
  readonly width: number;
  /** Numbers of the palette of 16 colours; undefined: the terminal's own. */
  readonly foreground: number | undefined;
  readonly background: number | undefined;
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isInverse: boolean;
}

/** The cells of each row, without the blank rows at the end. */
type Screen = readonly (readonly Cell[])[];

interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A program that still runs after this time waits for something that doesn't come. */
const PATIENCE_MS = 60_000;
const PROMPT = '\u001b[1;32m$\u001b[0m ';
/** These ids differ in each run, whatever the seed. */
const REQUEST_ID = /\breq_\w{22}/g;
const ANY_REQUEST_ID = 'req_zRc1IlVQvstGGL9cfx1m8A';

export class PipedTerminal {
  readonly #emulator: Terminal;
  readonly #environment: NodeJS.ProcessEnv;

  constructor({ columns, rows }: Size, environment: NodeJS.ProcessEnv) {
    this.#emulator = new xterm.Terminal({ cols: columns, rows, convertEol: true, allowProposedApi: true });
    this.#environment = {
      ...environment,
      TERM: 'xterm-256color',
      COLUMNS: String(columns),
      LINES: String(rows),
      NODE_OPTIONS: `--require "${join(import.meta.dirname, 'pictures', 'as-terminal.cjs')}"`,
    };
  }

  /** Types a line at a prompt, and shows what the shell's command prints until it ends. */
  async type(line: string): Promise<void> {
    await this.#show(`${PROMPT}\u001b[1m${line.replaceAll('\n', '\n> ')}\u001b[0m\n`);
    await this.#run(line, () => false);
    await this.#show('\n');
  }

  /**
   * Runs a program that fills the screen until the screen shows `what`. Returns that screen. Throws when the program
   * ends before.
   */
  async open(line: string, what: RegExp): Promise<Screen> {
    let screen: Screen | undefined;
    await this.#run(line, () => {
      if (!what.test(textOf(this.screen()))) return false;
      screen ??= this.screen();
      return true;
    });
    if (screen === undefined)
      throw new Error(`${line} never showed ${String(what)}:\n${textOf(this.screen())}`);
    return screen;
  }

  screen(): Screen {
    const { active } = this.#emulator.buffer;
    const rows = Array.from({ length: this.#emulator.rows }, (_, row) => {
      const line = active.getLine(row);
      return Array.from({ length: this.#emulator.cols }, (_, column) => line?.getCell(column)).flatMap(
        (cell) =>
          // The second half of a wide character has no width.
          cell === undefined || cell.getWidth() === 0 ? [] : [cellOf(cell)],
      );
    });
    return rows.slice(0, rows.findLastIndex((row) => !row.every(isBlank)) + 1);
  }

  /** Runs a line in a shell. Closes the program's input when `isEnough` holds. */
  async #run(line: string, isEnough: () => boolean): Promise<void> {
    // Both streams go into one pipe, so that their order stays.
    const child = spawn('sh', ['-c', `{ ${line}\n} 2>&1`], {
      env: this.#environment,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const timer = setTimeout(() => child.stdin.end(), PATIENCE_MS);
    for await (const chunk of child.stdout.setEncoding('utf8') as AsyncIterable<string>) {
      await this.#show(chunk.replaceAll(REQUEST_ID, ANY_REQUEST_ID));
      if (isEnough()) child.stdin.end();
    }
    clearTimeout(timer);
  }

  async #show(text: string): Promise<void> {
    await new Promise<void>((resolve) => this.#emulator.write(text, resolve));
  }
}

function isBlank({ text, background, isInverse }: Cell): boolean {
  return text === ' ' && background === undefined && !isInverse;
}

function textOf(screen: Screen): string {
  return screen
    .map((row) =>
      row
        .map(({ text }) => text)
        .join('')
        .trimEnd(),
    )
    .join('\n');
}

function cellOf(cell: IBufferCell): Cell {
  return {
    text: cell.getChars() || ' ',
    width: cell.getWidth(),
    foreground: cell.isFgDefault() ? undefined : cell.getFgColor(),
    background: cell.isBgDefault() ? undefined : cell.getBgColor(),
    isBold: cell.isBold() !== 0,
    isDim: cell.isDim() !== 0,
    isInverse: cell.isInverse() !== 0,
  };
}

async function main(): Promise<void> {
  for (const { path, content } of await pictures()) {
    writeFileSync(join(ROOT, path), content);
    process.stdout.write(`${path}\n`);
  }
}

if (process.argv[1] === import.meta.filename) await main();
