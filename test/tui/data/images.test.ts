import { expect, test } from 'vitest';
import {
  imageEscape,
  imageTypeOf,
  type TerminalEnvironment,
  type Image,
} from '../../../src/tui/data/images.ts';
import { aPng } from '../../support/builders.ts';

const KITTY: TerminalEnvironment = { TERM: 'xterm-kitty' };
const ITERM: TerminalEnvironment = { TERM_PROGRAM: 'iTerm.app' };
const JPEG: Image = { contentType: 'image/jpeg', bytes: Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]) };

function png(width: number, height: number, more = 0): Image {
  const bytes = aPng(more);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return { contentType: 'image/png', bytes };
}

/** Returns the commands of kitty's graphics protocol, which have the form ESC _ G control ; payload ESC \. */
function kittyCommands(text: string): { control: string; payload: string }[] {
  const commands = [...text.matchAll(/\x1b_G([^;]*);([^\x1b]*)\x1b\\/g)];
  expect(commands.map(([whole]) => whole).join('')).toBe(text);
  return commands.map(([, control = '', payload = '']) => ({ control, payload }));
}

test.each<[string, TerminalEnvironment, 'kitty' | 'inline' | undefined]>([
  ['kitty', KITTY, 'kitty'],
  ['a window of kitty', { TERM: 'xterm-256color', KITTY_WINDOW_ID: '1' }, 'kitty'],
  ['ghostty', { TERM_PROGRAM: 'ghostty' }, 'kitty'],
  ['iTerm2', ITERM, 'inline'],
  ['WezTerm', { TERM_PROGRAM: 'WezTerm' }, 'inline'],
  ['iTerm2 over ssh', { TERM: 'xterm-256color', LC_TERMINAL: 'iTerm2' }, 'inline'],
  ['xterm', { TERM: 'xterm-256color' }, undefined],
  ['nothing known', {}, undefined],
  ['tmux in kitty', { ...KITTY, TMUX: '/tmp/tmux-0/default,1,0' }, undefined],
  ['tmux in iTerm2', { ...ITERM, TERM: 'tmux-256color' }, undefined],
  ['screen in kitty', { TERM: 'screen.xterm-256color', KITTY_WINDOW_ID: '1' }, undefined],
  ['screen in iTerm2', { ...ITERM, STY: '1.pts' }, undefined],
])('imageEscape: under %s', (_, environment, protocol) => {
  const text = imageEscape(png(10, 10), environment, 80, 24);
  const found =
    text?.startsWith('\x1b_G') === true ? 'kitty' : text?.startsWith('\x1b]1337') ? 'inline' : text;
  expect(found).toBe(protocol);
});

test('imageEscape: kitty gets the PNG in pieces of 4096, asked to answer nothing', () => {
  const image = png(800, 160, 10_000);
  const [first, ...rest] = kittyCommands(imageEscape(image, KITTY, 80, 24) ?? '');
  expect(first?.control).toBe('a=T,f=100,q=2,c=80,m=1');
  expect(rest.map(({ control }) => control)).toEqual(['m=1', 'm=1', 'm=0']);
  const payloads = [first, ...rest].map((command) => command?.payload ?? '');
  for (const payload of payloads.slice(0, -1)) expect(payload).toHaveLength(4096);
  expect(Buffer.from(payloads.join(''), 'base64').equals(image.bytes)).toBe(true);
});

test.each([
  ['as large as it is', 80, 16, 'c=10'],
  ['no wider than the room', 8000, 160, 'c=80'],
  ['no higher than the room', 80, 16_000, 'r=24'],
  ['at least a cell', 1, 1, 'c=1'],
])('imageEscape: kitty shows it %s, in its proportions', (_, width, height, side) => {
  const [first] = kittyCommands(imageEscape(png(width, height), KITTY, 80, 24) ?? '');
  const sides = first?.control.split(',').filter((member) => /^[cr]=/.test(member));
  expect(sides).toHaveLength(1);
  if (width > 1) expect(sides).toEqual([side]);
  else expect(sides?.[0]).toMatch(/^[cr]=1$/);
});

test('imageEscape: inline it is base64 after its size and the room it has', () => {
  const text = imageEscape(JPEG, ITERM, 80, 24);
  const base64 = Buffer.from(JPEG.bytes).toString('base64');
  expect(text).toBe(`\x1b]1337;File=inline=1;size=7;width=80;height=24;preserveAspectRatio=1:${base64}\x07`);
});

test('imageEscape: kitty takes PNG only', () => {
  expect(imageEscape(JPEG, KITTY, 80, 24)).toBeUndefined();
});

test.each<[string, Image]>([
  ['text that calls itself an image', { contentType: 'image/png', bytes: Buffer.from('\x1b]0;owned\x07') }],
  ['an image of another type than it says', { ...JPEG, contentType: 'image/png' }],
  ['an image that says it is a page', { ...JPEG, contentType: 'text/html' }],
  ['nothing', { contentType: 'image/png', bytes: Buffer.alloc(0) }],
  ['a PNG that is cut off', { contentType: 'image/png', bytes: aPng().subarray(0, 20) }],
])('imageEscape: %s is not shown by kitty', (_, image) => {
  expect(imageEscape(image, KITTY, 80, 24)).toBeUndefined();
});

test('imageEscape: nothing of the content but base64 reaches the terminal', () => {
  const hostile = Buffer.concat([aPng(), Buffer.from('\x1b\\\x1b]0;owned\x07')]);
  for (const environment of [KITTY, ITERM]) {
    const text = imageEscape({ contentType: 'image/png', bytes: hostile }, environment, 80, 24) ?? '';
    expect(text).not.toContain('owned');
    expect(text.replace(/^\x1b_G|^\x1b\]1337;|\x1b\\$|\x07$/g, '')).toMatch(/^[\x20-\x7e]+$/);
  }
});

test('imageEscape: without room there is nothing', () => {
  expect(imageEscape(png(10, 10), KITTY, 0, 24)).toBeUndefined();
  expect(imageEscape(png(10, 10), ITERM, 80, 0)).toBeUndefined();
});

test('imageTypeOf: the four types, by their first bytes', () => {
  const typeOf = (text: string) => imageTypeOf(Buffer.from(text, 'latin1'));
  expect(imageTypeOf(aPng())).toBe('image/png');
  expect(imageTypeOf(JPEG.bytes)).toBe('image/jpeg');
  expect([typeOf('GIF87a..'), typeOf('GIF89a..')]).toEqual(['image/gif', 'image/gif']);
  expect(typeOf('RIFF\x01\x02\x03\x04WEBPVP8 ')).toBe('image/webp');
  expect([typeOf('RIFF\x01\x02\x03\x04WAVEfmt '), typeOf('%PDF-1.7'), typeOf('')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
