/**
 * Measures `kyclone inspect` as its user sees it: on a pseudo-terminal of `script`, with any number of users in the
 * daemon. It writes keys as a keyboard does, and measures the output to the terminal.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { caller } from './calls.ts';
import { CLI, cleanEnvironment, type Server } from './processes.ts';

const KEYS = 60;
const IDLE_MS = 3_000;
const BUSY_MS = 3_000;
const LIMIT_MS = 30_000;
/** The beginning of a row of the list. No earlier output contains it. */
const ROW = /fp_id_\w{8}/;
/** The marker that begins a frame. Frames are drawn as a whole. */
const FRAME = '\u001b[?2026h';

class Session {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly started = performance.now();
  /** The whole output, and the number of frames in it. */
  screen = '';
  frames = 0;
  #waiting: (() => void) | undefined;

  constructor(home: string) {
    const command = `stty cols 120 rows 40; exec '${process.execPath}' '${CLI}' inspect`;
    const env = cleanEnvironment({ KYCLONE_HOME: home, TERM: 'xterm-256color', SHELL: '/bin/sh' });
    delete env['CI'];
    delete env['NO_COLOR'];
    delete env['CONTINUOUS_INTEGRATION'];
    this.#child = spawn('script', ['--quiet', '--flush', '--command', command, '/dev/null'], { env });
    this.#child.stdout.on('data', (chunk: Buffer) => {
      const text = chunk.toString();
      this.screen += text;
      this.frames += text.split(FRAME).length - 1;
      this.#waiting?.();
    });
  }

  /** Returns the milliseconds until the output makes `isThere` true. */
  async until(isThere: () => boolean): Promise<number> {
    const from = performance.now();
    const tooLong = setTimeout(() => this.#child.kill(), LIMIT_MS);
    while (!isThere()) {
      await new Promise<void>((resolve, reject) => {
        this.#waiting = resolve;
        this.#child.once('exit', () =>
          reject(new Error(`kyclone inspect ended: ${this.screen.slice(-400)}`)),
        );
      });
      this.#child.removeAllListeners('exit');
    }
    clearTimeout(tooLong);
    return performance.now() - from;
  }

  async key(key: string): Promise<number> {
    const { length } = this.screen;
    this.#child.stdin.write(key);
    return await this.until(() => this.screen.length > length);
  }

  async end(): Promise<void> {
    const exited = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.stdin.write('q');
    await exited;
  }
}

/** Returns the milliseconds from the start of the process to the first row. */
export async function timeFirstRow(home: string): Promise<number> {
  const session = new Session(home);
  await session.until(() => ROW.test(session.screen));
  const taken = performance.now() - session.started;
  await session.end();
  return taken;
}

export async function timeKeys(home: string): Promise<readonly number[]> {
  const session = new Session(home);
  await session.until(() => ROW.test(session.screen));
  await pause(500);
  const times: number[] = [];
  for (let at = 0; at < KEYS; at += 1) {
    times.push(await session.key('j'));
    // The pause is longer than the shortest time between two frames, so that a key doesn't wait for the next frame.
    await pause(40);
  }
  await session.end();
  return times;
}

const person = (serial: number) => ({ 'id.first_name': 'Piper', 'id.last_name': `Quimby ${serial}` });

const CALM_PER_SECOND = 5;
/** Ten seconds of writes. The inspector reports changes every two and a half seconds. */
const CALM_WRITES = 50;

/** Returns the bytes a second that go to the terminal while another client creates five users a second. */
export async function countBytes(home: string, server: Server): Promise<number> {
  const ask = caller(server);
  const session = new Session(home);
  await session.until(() => ROW.test(session.screen));
  await pause(1_000);
  const before = Buffer.byteLength(session.screen);
  const from = performance.now();
  for (let written = 0; written < CALM_WRITES; written += 1) {
    await ask('POST', '/users', person(written));
    await pause(Math.max(0, from + (written + 1) * (1000 / CALM_PER_SECOND) - performance.now()));
  }
  const perSecond = (Buffer.byteLength(session.screen) - before) / ((performance.now() - from) / 1000);
  await session.end();
  ask.end();
  return perSecond;
}

/** Counts the frames while nothing happens, and while another client writes as fast as it can. */
export async function countFrames(
  home: string,
  server: Server,
): Promise<{ idle: number; busyPerSecond: number; written: number }> {
  const ask = caller(server);
  const session = new Session(home);
  await session.until(() => ROW.test(session.screen));
  await pause(1_000);
  const before = session.frames;
  await pause(IDLE_MS);
  const idle = session.frames - before;
  const from = performance.now();
  const busyFrom = session.frames;
  let written = 0;
  while (performance.now() - from < BUSY_MS) {
    await ask('POST', '/users', person(written));
    written += 1;
  }
  const busyPerSecond = (session.frames - busyFrom) / ((performance.now() - from) / 1000);
  await session.end();
  ask.end();
  return { idle, busyPerSecond, written };
}
