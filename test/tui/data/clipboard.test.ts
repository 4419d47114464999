import { expect, test } from 'vitest';
import { clipboardEscape, copyText } from '../../../src/tui/data/clipboard.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

test('clipboardEscape: OSC 52 with the base64 of the text', () => {
  expect(clipboardEscape('Zoë 😀', {})).toBe(`\x1b]52;c;${base64('Zoë 😀')}\x07`);
});

test('clipboardEscape: tmux hands it on', () => {
  expect(clipboardEscape('fp_id_1', { TMUX: '/tmp/tmux-0/default,1,0' })).toBe(
    `\x1bPtmux;\x1b\x1b]52;c;${base64('fp_id_1')}\x07\x1b\\`,
  );
  expect(clipboardEscape('fp_id_1', { TMUX: '' })).toMatch(/^\x1b\]52/);
});

test('clipboardEscape: a text with control characters stays inside', () => {
  const text = clipboardEscape('a\x1b\\b\x07c', {}) ?? '';
  expect(text.slice(1, -1)).toMatch(/^[\x20-\x7e]+$/);
});

test('clipboardEscape: what terminals would cut is not sent at all', () => {
  const longest = 'a'.repeat((74_992 / 4) * 3);
  expect(clipboardEscape(longest, {})).toContain(base64(longest));
  expect(clipboardEscape(`${longest}a`, {})).toBeUndefined();
});

test('copyText: without tmux the terminal gets it, and nobody knows whether it took it', async () => {
  const written: string[] = [];
  const write = (escape: string) => void written.push(escape);
  expect(await copyText('fp_id_1', {}, write)).toBe('sent');
  expect(written).toEqual([clipboardEscape('fp_id_1', {})]);
  expect(await copyText('a'.repeat(100_000), {}, write)).toBe('too_long');
  expect(written).toHaveLength(1);
});
