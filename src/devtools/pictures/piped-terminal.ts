/**
 * A terminal without a window or a pseudo-terminal. Programs write to pipes, which they take for a terminal
 * (as-terminal.cjs), and xterm.js turns what they write into cells.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import xterm, { type IBufferCell, type Terminal } from '@xterm/headless';

export interface Cell {
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
export type Screen = readonly (readonly Cell[])[];

export interface Size {
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
      NODE_OPTIONS: `--require "${join(import.meta.dirname, 'as-terminal.cjs')}"`,
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

export function isBlank({ text, background, isInverse }: Cell): boolean {
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
