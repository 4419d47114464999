/** A real terminal that can be looked at: tmux, on a socket of its own. */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cleanEnvironment, ROOT } from './daemon.ts';
import { tempDir } from './temp-dir.ts';
import { PATIENCE_MS } from './patience.ts';

export const hasTmux = spawnSync('tmux', ['-V']).status === 0;

const POLL_MS = 50;

interface Window {
  readonly columns: number;
  readonly rows: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly before?: readonly string[];
}

export class Tmux {
  readonly #socket = `kyclone-test-${randomBytes(6).toString('hex')}`;
  readonly #env: NodeJS.ProcessEnv;
  readonly #folder = tempDir();
  readonly #before: string;

  /** A shell in a window, below `home`; `before` are words that stand before each `kyclone`. */
  constructor(
    home: string,
    { columns, rows, environment, before = [] }: Window = { columns: 100, rows: 30 },
  ) {
    const mostly = cleanEnvironment(home, { SHELL: '/bin/sh', PS1: '$ ', LANG: 'C.UTF-8', ...environment });
    this.#before = before.map((word) => `${word} `).join('');
    this.#env = { ...mostly, TMUX_TMPDIR: this.#folder.path };
    const window = ['-x', String(columns), '-y', String(rows)];
    this.#tmux('-f', '/dev/null', '-u', 'new-session', '-d', ...window, '/bin/sh');
    this.#tmux('set-option', '-g', 'remain-on-exit', 'on');
  }

  /** Types a line for the shell. */
  run(line: string): void {
    this.#tmux('send-keys', '-l', line);
    this.#tmux('send-keys', 'Enter');
  }

  /** `kyclone …`, and after it `ended N` with what it ended with. */
  kyclone(...words: readonly string[]): void {
    this.run(
      `clear; ${this.#before}'${process.execPath}' '${join(ROOT, 'bin', 'kyclone.js')}' ${words.join(' ')}; echo "ended $?"`,
    );
  }

  /** Keys by their names in tmux. */
  press(...keys: readonly string[]): void {
    for (const key of keys) this.#tmux('send-keys', key);
  }

  /** What a terminal sends of its own, such as reports of its mouse. */
  sendRaw(text: string): void {
    this.#tmux('send-keys', '-l', text);
  }

  /** As a terminal pastes it: between marks where the program has asked for them. */
  paste(text: string): void {
    this.#tmux('set-buffer', text);
    this.#tmux('paste-buffer', '-p', '-r');
  }

  /** What was copied last. */
  buffer(): string {
    return this.#tmux('show-buffer');
  }

  screen(): string {
    return this.#tmux('capture-pane', '-p');
  }

  resize(columns: number, rows: number): void {
    this.#tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }

  /** Whether the alternate screen is shown, and the cursor. */
  modes(): { isAlternate: boolean; hasCursor: boolean; wraps: boolean } {
    const [alternate, cursor, wraps] = this.#tmux(
      'display-message',
      '-p',
      '#{alternate_on} #{cursor_flag} #{wrap_flag}',
    )
      .trim()
      .split(' ');
    return { isAlternate: alternate === '1', hasCursor: cursor === '1', wraps: wraps === '1' };
  }

  tty(): string {
    return this.#tmux('display-message', '-p', '#{pane_tty}').trim();
  }

  /** How the terminal is set, as `stty -g` has it. */
  settings(): string {
    return execFileSync('stty', ['-F', this.tty(), '-g'], { encoding: 'utf8' });
  }

  async until(what: RegExp): Promise<string> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const screen = this.screen();
      if (what.test(screen)) return screen;
      if (performance.now() > deadline) throw new Error(`it never showed ${String(what)}:\n${screen}`);
      await pause(POLL_MS);
    }
  }

  [Symbol.dispose](): void {
    spawnSync('tmux', ['-L', this.#socket, 'kill-server'], { env: this.#env });
    rmSync(this.#folder.path, { recursive: true, force: true });
  }

  #tmux(...words: readonly string[]): string {
    return execFileSync('tmux', ['-L', this.#socket, ...words], { env: this.#env, encoding: 'utf8' });
  }
}
