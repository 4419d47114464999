import { expect, test } from 'vitest';
import { bodyView, isText } from '../../../src/cli/api/view.ts';

const anExchange = (type: string, body: string | Buffer) => ({
  status: 200,
  headers: { 'content-type': type },
  body: Buffer.from(body),
});

const NUMBERS = anExchange('application/json; charset=utf-8', '{"a":12345678901234567890,"b":1.10}');

test('bodyView: for people JSON is indented, its numbers as they came', () => {
  expect(bodyView(NUMBERS, true)).toBe('{\n  "a": 12345678901234567890,\n  "b": 1.10\n}');
});

test('bodyView: for programs it is as it came', () => {
  expect(bodyView(NUMBERS, false)).toBe('{"a":12345678901234567890,"b":1.10}');
});

test('isText: a body that says so and is UTF-8', () => {
  expect(isText(NUMBERS)).toBe(true);
  expect(isText(anExchange('text/plain', Buffer.of(0xe9)))).toBe(false);
  expect(isText(anExchange('image/png', 'a'))).toBe(false);
});
