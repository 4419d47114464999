import { expect, test } from 'vitest';
import { nearest } from '../../../src/kernel/text/nearest.ts';

const COMMANDS = ['users create', 'users list', 'vault get', 'start', 'stop', 'status'];

test.each([
  ['strat', 'start'],
  ['users creat', 'users create'],
  ['user list', 'users list'],
  ['vualt get', 'vault get'],
  ['stat', 'start'],
])('nearest: %s is meant to be %s', (typed, meant) => {
  expect(nearest(typed, COMMANDS)).toBe(meant);
});

test.each(['', 'x', 'inspect', '123-45-6789'])('nearest: %j is near to nothing', (typed) => {
  expect(nearest(typed, COMMANDS)).toBeUndefined();
});
