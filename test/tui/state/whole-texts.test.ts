/** Messages are readable in full: notices, help and results aren't cut where there is room for another line. */
import { expect, test } from 'vitest';
import { displayWidth } from '../../../src/kernel/text/terminal-text.ts';
import { helpLines } from '../../../src/tui/state/key-map.ts';
import { heightOf } from '../../../src/tui/state/heights.ts';
import { resultLines } from '../../../src/tui/state/result-text.ts';
import { drawState } from '../../support/frames.tsx';
import { aRow, Inspector, rows } from './states.ts';

const LONG = `No answer from http://127.0.0.1:9/hooks/kyc (connection refused, ECONNREFUSED); kyclone tries again`;

test('notice: one longer than the line takes a second line, and the rows make room', () => {
  const it = Inspector.loaded(60);
  const height = () => heightOf(it.state);
  const before = height();
  it.send({ type: 'done', notice: { tone: 'bad', text: LONG }, changes: false });
  const { lines } = drawState(it.state);
  expect(lines.slice(-2).join(' ').replaceAll(/ +/g, ' ')).toContain('kyclone tries again');
  expect(lines.length).toBeLessThanOrEqual(23);
  expect(height(), lines.join('\n')).toBe(before - 1);
  it.press('j');
  expect(height()).toBe(before);
});

test('notice: in a low window it has one line', () => {
  const it = new Inspector(rows(60), {}, { columns: 40, rows: 14 }).answer();
  it.send({ type: 'done', notice: { tone: 'bad', text: LONG }, changes: false });
  expect(drawState(it.state).lines.length).toBeLessThanOrEqual(13);
});

test('help: every line is whole at 80 columns', () => {
  const room = 80 - 24;
  for (const line of helpLines(false))
    if ('says' in line) expect(displayWidth(line.says), line.says).toBeLessThanOrEqual(room);
});

test('results: the reason of a failure is read whole', () => {
  const text = `fp_id_00001 (J*** D***): ${'because '.repeat(20)}`.trim();
  const lines = resultLines([{ key: '1', text, isDone: false }], { columns: 80, rows: 24 });
  expect(
    lines
      .map((line) => line.text)
      .join(' ')
      .match(/because/g),
  ).toHaveLength(20);
  expect(lines[0]?.text).toMatch(/^ {2}FAILED {2}fp_id_00001/);
  for (const line of lines) expect(displayWidth(line.text)).toBeLessThanOrEqual(80);
});

test('row: a text of several lines has a mark for each line end in its cell, and its lines in the whole row', () => {
  const it = new Inspector([aRow(1, { cells: ['first\nsecond\u001b[2J'] })]).answer();
  expect(drawState(it.state).lines.join('\n')).toContain('first ↵ second\\x1b[2J');
  it.press('i');
  const lines = drawState(it.state).lines.map((line) => line.trim());
  expect(lines.some((line) => /first$/.test(line))).toBe(true);
  expect(lines).toContain('second\\x1b[2J');
});

test('row: what is read can be acted on at once, and space still scrolls', () => {
  const it = Inspector.loaded(3);
  it.press('N');
  expect(it.state.overlay).toMatchObject({ kind: 'form', action: 'note' });
  it.press('escape');
  it.send({ type: 'key', key: 'escape', now: 0 });
  const state = { ...it.state, overlay: { kind: 'row', top: 0 } } as const;
  it.state = state;
  it.press('space');
  expect(it.state.overlay?.kind).toBe('row');
  it.press('d');
  expect(it.state.overlay).toMatchObject({ kind: 'form', action: 'decide' });
});
