/** The appearance that an app chooses for the page of a hosted flow (contract §14). */
import { describe, expect, test } from 'vitest';
import { appearanceOf, appearanceQuery, readableOn } from '../../src/hosted/appearance.ts';
import { addressOf, BANK_PAGE, ONBOARDING_PAGE } from '../../src/hosted/embed-address.ts';
import type { Appearance } from '../../src/hosted/embed-appearance.ts';

const WHOLE: Appearance = {
  theme: 'dark',
  accent: '#FF8800',
  background: '#101010',
  text: '#fafafa',
  radius: 0,
  font: "'Fira Sans', Georgia, serif",
};

describe('appearance', () => {
  test('appearanceQuery, appearanceOf: what one side sends the other reads', () => {
    expect(appearanceOf(new URLSearchParams(appearanceQuery(WHOLE)))).toEqual(WHOLE);
    expect(appearanceQuery({})).toEqual([]);
  });

  test.each([
    ['theme', 'auto'],
    ['accent', 'red'],
    ['accent', '#fff'],
    ['background', 'url(//a.example)'],
    ['text', '#12345g'],
    ['radius', 33],
    ['radius', 1.5],
    ['radius', '8px'],
    ['font', 'a; color: red'],
    ['font', 'url(x)'],
    ['font', ''],
    ['colour', '#000000'],
  ])('appearance: %s as %j is refused by the module and left out by the page', (name, value) => {
    expect(() => appearanceQuery({ [name]: value })).toThrow(new RegExp(`appearance.*${name}`));
    expect(appearanceOf(new URLSearchParams({ [name]: String(value) }))).toEqual({});
  });

  test.each([
    ['#000000', '#ffffff'],
    ['#ffffff', '#000000'],
    ['#0b6b57', '#ffffff'],
    ['#6cd3b6', '#000000'],
    ['#767676', '#000000'],
    ['#0000ff', '#ffffff'],
  ] as const)('readableOn: on %s it is %s', (colour, text) => {
    expect(readableOn(colour)).toBe(text);
  });
});

test.each([
  [ONBOARDING_PAGE, 'blit_1'],
  [BANK_PAGE, 'vtok_1'],
])('address: of $page it has no token of another kind', (page, token) => {
  expect(() => addressOf(page, { token, baseUrl: 'http://a.example' })).toThrow(TypeError);
  expect(addressOf(page, { token: 'obtok_1', baseUrl: 'http://a.example' }).hash).toBe('#obtok_1');
});
