/** What a person relies on at first use: true hints, words that find things, and rows in full. */
import { expect, test } from 'vitest';
import { displayWidth } from '../../../src/kernel/text/terminal-text.ts';
import { noticeOfCopy } from '../../../src/tui/state/copying.ts';
import { hintsFor } from '../../../src/tui/state/foot.ts';
import { matches } from '../../../src/tui/state/palette.ts';
import { rowLines } from '../../../src/tui/state/row-text.ts';
import { aRow, Inspector } from './states.ts';

test.each([
  ['bank', 'bank links'],
  ['webhook', 'webhook endpoints'],
  ['hook', 'webhook endpoints'],
  ['log', 'access log'],
  ['journal', 'requests'],
  ['fault', 'fault rules'],
  ['faults', 'fault rules'],
  ['time', 'clock'],
  ['webhooks', 'webhook endpoints'],
  ['settings', 'instance'],
  ['money', 'bank links'],
  ['download', 'save'],
])('palette: %s finds %s', (text, name) => {
  expect(matches(text, false)[0]?.name).toBe(name);
});

test('hints: they say what can be done with the row that is selected, and only that', () => {
  const it = Inspector.loaded(1);
  expect(hintsFor(it.state, 80)).toBe('enter open  / filter  : palette  ? help  q leave');
  const none = Inspector.loaded(0);
  expect(hintsFor(none.state, 80)).toBe('/ filter  : palette  ? help  q leave');
  expect(hintsFor(it.press('?').state, 80)).toBe('escape closes  j k move');
});

test.each([80, 47, 30, 20, 6, 1])('hints: in %d cells they are left out, not cut', (room) => {
  const text = hintsFor(Inspector.loaded(1).state, room);
  expect(text).toContain('? help');
  expect(text.split('  ').every((each) => /^[a-z:/?]+ [a-z]+$/.test(each))).toBe(true);
  if (room >= displayWidth('? help')) expect(displayWidth(text)).toBeLessThanOrEqual(room);
});

test('open: a row that opens nothing is shown in full, and scrolled', () => {
  const reason = 'because '.repeat(300).trim();
  const it = new Inspector([
    aRow(1, { cells: ['fp_id_00001', `evil\u001b[2J ${reason}`], opens: undefined }),
  ]);
  it.answer().press('enter');
  expect(it.state.overlay).toEqual({ kind: 'row', top: 0 });
  const text = rowLines(it.state).join('\n');
  expect(text).toContain('USER');
  expect(text).not.toContain('\u001b');
  expect(text.match(/because/g)).toHaveLength(300);
  expect(rowLines(it.state).every((line) => displayWidth(line) <= 80)).toBe(true);
  expect(it.press('j', 'j').state.overlay).toEqual({ kind: 'row', top: 2 });
  expect(it.press('escape').state.overlay).toBeUndefined();
});

test('load: of what was deleted nothing stays on the screen; after any other failure the rows do', () => {
  const it = Inspector.loaded(3);
  const failed = { type: 'load_failed', view: 1, pane: 0, problem: 'No user has this id' } as const;
  it.send({ ...failed, generation: it.pane.generation });
  expect(it.shown).toHaveLength(3);
  it.send({ ...failed, generation: it.pane.generation, isGone: true });
  expect(it.shown).toHaveLength(0);
});

test('copy: a command for a daemon that the environment named names no other instance', () => {
  const copiedBy = (setup: ConstructorParameters<typeof Inspector>[1]) => {
    const it = Inspector.loaded(1, setup);
    it.press('Y');
    const effect = it.pending.find(({ type }) => type === 'copy');
    return effect?.type === 'copy' ? effect.text : undefined;
  };
  expect(copiedBy({ instance: 'other' })).toContain('--instance other');
  expect(copiedBy({ instance: '127.0.0.1:4747', isByAddress: true })).toBe('kyclone users get fp_id_00000');
});

test('copy: what may not have reached the clipboard is not said to be there', () => {
  expect(noticeOfCopy('copied', 'fp_id_1')).toEqual({ tone: 'good', text: 'Copied: fp_id_1' });
  expect(noticeOfCopy('sent', 'fp_id_1').text).toBe('Copied, if this terminal allows it: fp_id_1');
  expect(noticeOfCopy('too_long', 'curl …').tone).toBe('warn');
});
