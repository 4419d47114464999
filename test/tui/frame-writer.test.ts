/** What the writer sends to the terminal for a frame, and that the window then shows the frame. */
import { expect, test } from 'vitest';
import { createFrameWriter } from '../../src/tui/mount.tsx';

const HEIGHT = 12;
const WIDTH = 80;
/** Returns a frame as ink writes it: ink erases the previous one first. */
const inkFrame = (lines: readonly string[]) => `${ERASURE}${lines.join('\n')}\n`;
const ERASURE = `${'\u001b[2K\u001b[1A'.repeat(HEIGHT)}\u001b[2K\u001b[G`;

/**
 * Simulates a window with one row more than a frame. It knows the sequences that the writer uses. The cursor stops at
 * the last column.
 */
function aWindow() {
  let rows = Array.from({ length: HEIGHT + 1 }, () => '');
  let at = 0;
  let column = 0;
  const row = () => rows[at] ?? '';
  const empty = (count: number) => Array.from({ length: count }, () => '');
  const put = (text: string) => {
    rows = rows.with(at, row().slice(0, column) + text + row().slice(column + text.length));
    column = Math.min(column + text.length, WIDTH - 1);
  };
  const command = (name: string, count: number) => {
    if (name === 'H') [at, column] = [count - 1, 0];
    else if (name === 'G') column = 0;
    else if (name === 'A') at = Math.max(0, at - count);
    else if (name === 'K') rows = rows.with(at, count === 2 ? '' : row().slice(0, column));
    else if (name === 'M') rows = [...rows.toSpliced(at, count), ...empty(count)];
    else if (name === 'L') rows = rows.toSpliced(at, 0, ...empty(count)).slice(0, HEIGHT + 1);
    else throw new Error(`the window does not know ${name}`);
  };
  return {
    rows: () => rows.slice(0, HEIGHT),
    cursor: () => [at, column],
    write(text: string) {
      for (const [, count, name, other] of text.matchAll(/\u001b\[(\d*)([A-Z])|([^\u001b])/g)) {
        if (name !== undefined) command(name, Number(count === '' ? 1 : count));
        else if (other === '\n') [at, column] = [at + 1, 0];
        else put(other ?? '');
      }
    },
  };
}

const row = (serial: number) => `  person ${serial}  ${'created at noon '.repeat(4)}`;
function aList(newest: number, selected = newest): string[] {
  const rows = Array.from({ length: HEIGHT - 3 }, (_, index) => row(newest - index));
  const marked = rows.map((text, index) => (newest - index === selected ? `>${text.slice(1)}` : text));
  return ['kyclone', 'Users', ...marked, `q leave${`1 of ${newest}`.padStart(WIDTH - 7)}`];
}

/**
 * Writes the frames one after the other, checks that the window shows each, and returns the length of the last output.
 */
function shown(...frames: readonly (readonly string[])[]): number {
  const [writer, window] = [createFrameWriter(() => 0), aWindow()];
  let bytes = 0;
  for (const [index, lines] of frames.entries()) {
    const text = writer.shorten(index === 0 ? inkFrame(lines).slice(ERASURE.length) : inkFrame(lines));
    window.write(text);
    expect(window.rows()).toEqual(lines);
    expect(window.cursor()).toEqual([HEIGHT, 0]);
    bytes = text.length;
  }
  return bytes;
}

const ROW_BYTES = row(100).length + 12;

test('frames: the first is written whole', () => {
  expect(shown(aList(100))).toBe(aList(100).join('\n').length + 1);
});

test('frames: of the next, only lines that differ are written', () => {
  // The selection moves by one row.
  expect(shown(aList(100), aList(100, 99))).toBeLessThan(3 * ROW_BYTES);
});

test.each([1, 2, 5])('frames: %i rows that come on top or leave it move the others', (count) => {
  // The footer and the row that was selected also differ.
  const most = (count + 3) * ROW_BYTES;
  expect(shown(aList(100), aList(100 + count))).toBeLessThan(most);
  expect(shown(aList(100, 90), aList(100 - count, 90))).toBeLessThan(most);
});

test('frames: rows in another order, and other rows, are shown as they are', () => {
  const list = aList(100);
  const turned = [...list.slice(4), ...list.slice(0, 4)];
  const blank = Array.from({ length: HEIGHT }, () => '');
  expect(shown(list, list.toReversed(), aList(50), turned, list, blank, list)).toBeGreaterThan(0);
});

test('frames: the one after an erasure is written whole, as is one of another height', () => {
  const writer = createFrameWriter(() => 0);
  writer.shorten(inkFrame(aList(100)));
  expect(writer.shorten(ERASURE)).toBe(ERASURE);
  expect(writer.shorten(inkFrame(aList(100)))).toBe(inkFrame(aList(100)));
  expect(writer.shorten(inkFrame(['Too small']))).toBe(inkFrame(['Too small']));
});

test('frames: after half a minute one is written whole, which restores a window that another program wrote over', () => {
  let now = 0;
  const writer = createFrameWriter(() => now);
  writer.shorten(inkFrame(aList(100)));
  now = 29_000;
  expect(writer.shorten(inkFrame(aList(101))).length).toBeLessThan(4 * ROW_BYTES);
  now = 30_000;
  expect(writer.shorten(inkFrame(aList(102)))).toBe(inkFrame(aList(102)));
  now = 31_000;
  expect(writer.shorten(inkFrame(aList(103))).length).toBeLessThan(4 * ROW_BYTES);
});

test('frames: what is none is written as it is', () => {
  const writer = createFrameWriter(() => 0);
  writer.shorten(inkFrame(aList(100)));
  for (const text of ['\u001b[?2026h', '\u001b[?2026l', '\u001b[?25l'])
    expect(writer.shorten(text)).toBe(text);
  expect(writer.shorten(inkFrame(aList(100, 99))).length).toBeLessThan(3 * ROW_BYTES);
});
