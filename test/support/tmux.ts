/** A real terminal whose screen the tests can read: tmux, on a socket of its own. */
import './tier-all.ts';
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

  /** Starts a shell in a window, with `home` as its home. `before` are words to put before each `kyclone`. */
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

  /** Types a line into the shell. */
  run(line: string): void {
    this.#tmux('send-keys', '-l', line);
    this.#tmux('send-keys', 'Enter');
  }

  /** Runs `kyclone …`, and then prints `ended N` with the exit code. */
  kyclone(...words: readonly string[]): void {
    this.run(
      `clear; ${this.#before}'${process.execPath}' '${join(ROOT, 'bin', 'kyclone.js')}' ${words.join(' ')}; echo "ended $?"`,
    );
  }

  /** Presses keys by their names in tmux. */
  press(...keys: readonly string[]): void {
    for (const key of keys) this.#tmux('send-keys', key);
  }

  /** Sends input that a terminal sends by itself, such as mouse reports. */
  sendRaw(text: string): void {
    this.#tmux('send-keys', '-l', text);
  }

  /** Pastes a text as a terminal does, with bracket marks if the program has asked for them. */
  paste(text: string): void {
    this.#tmux('set-buffer', text);
    this.#tmux('paste-buffer', '-p', '-r');
  }

  /** Returns the text that was copied last. */
  buffer(): string {
    return this.#tmux('show-buffer');
  }

  screen(): string {
    return this.#tmux('capture-pane', '-p');
  }

  resize(columns: number, rows: number): void {
    this.#tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }

  /** Returns whether the alternate screen and the cursor are shown, and whether lines wrap. */
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

  /** Returns the settings of the terminal in the format of `stty -g`. */
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
