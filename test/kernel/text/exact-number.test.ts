import { parseYaml, yamlText } from '../../../src/cli/shell/yaml-text.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ExactNumber,
  isJsonObject,
  jsonText,
  parseJson,
  withExactCustomValues,
} from '../../../src/kernel/text/json.ts';

test('parseJson, jsonText: a number comes back with its text, and everything else as JSON has it', () => {
  const number = fc
    .tuple(fc.bigInt(-(10n ** 30n), 10n ** 30n), fc.constantFrom('', '.0', '.10', 'e5', 'E-3', '.25e+7'))
    .map((parts) => parts.join(''));
  const leaf = fc.oneof(number, fc.json({ stringUnit: 'grapheme' }));
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), leaf)), (members) => {
      const names = members.map(([name], index) => JSON.stringify(`${index}"1.0 ${name}`));
      const text = `{${members.map(([, value], index) => `${names[index] ?? ''}:${value}`).join()}}`;
      const plain = (each: string) => (/^-?\d/.test(each) ? each : JSON.stringify(JSON.parse(each)));
      const expected = `{${members.map(([, value], index) => `${names[index] ?? ''}:${plain(value)}`).join()}}`;
      const isStable = members.every(([, value]) => /^-?\d/.test(value) || !/\d/.test(value));
      if (isStable) expect(jsonText(parseJson(text))).toBe(expected);
      else expect(JSON.parse(jsonText(parseJson(text)))).toEqual(JSON.parse(text));
    }),
  );
});

test.each(['1.', '.5', '01', '1e', '--1', '"1', '[1.0', '+1', '1.0.0'])(
  'parseJson: %s is no JSON',
  (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  },
);

test('parseJson: a number that JavaScript keeps is an ordinary one', () => {
  expect(parseJson('[1,0.5,9007199254740991,"1e21"]')).toEqual([1, 0.5, 9007199254740991, '1e21']);
  expect(parseJson('[9007199254740993]')).toEqual([new ExactNumber('9007199254740993')]);
});

test('isJsonObject: a number that keeps its text is no object, nor is null', () => {
  const texts = ['1e21', '[1e21]', 'null', '{"a":1e21}'];
  expect(texts.map((text) => isJsonObject(parseJson(text)))).toEqual([false, false, false, true]);
});

test('parseJson: whatever its depth, the stack suffices', () => {
  const text = `${'['.repeat(200_000)}1.0${']'.repeat(200_000)}`;
  expect(() => parseJson(text)).not.toThrow();
});

test('ExactNumber: whoever does not remove marks writes the number that JavaScript has', () => {
  expect(JSON.stringify(parseJson('[1.10,1e400]'))).toBe('[1.1,null]');
  expect(String(new ExactNumber('1.10'))).toBe('1.10');
});

test('withExactCustomValues: a name may be written with escapes', () => {
  const text = '{"\\u0063ustom.a":12345678901234567890}';
  expect(withExactCustomValues(JSON.parse(text), text)).toEqual({
    'custom.a': new ExactNumber('12345678901234567890'),
  });
});

test('withExactCustomValues: takes custom values alone, as deep as bodies have them', () => {
  const text = '{"ttl":1.0,"custom.a":1.0,"data":{"custom.b":{"c":2.0},"id":3.0}}';
  expect(withExactCustomValues(JSON.parse(text), text)).toEqual({
    ttl: 1,
    'custom.a': new ExactNumber('1.0'),
    data: { 'custom.b': { c: new ExactNumber('2.0') }, id: 3 },
  });
  const list = '{"recorded":[{"body":{"custom.a":1.0}}]}';
  expect(withExactCustomValues(JSON.parse(list), list)).toEqual({
    recorded: [{ body: { 'custom.a': new ExactNumber('1.0') } }],
  });
});

test('yamlText: has such numbers as they were written', () => {
  expect(yamlText(parseJson('{"a":[1e21,12345678901234567890]}'), false)).toBe(
    'a:\n  - 1e21\n  - 12345678901234567890',
  );
});

test('yamlText: quotes what a reader of YAML 1.1 refuses, and what it reads is the same', () => {
  const ends = ['a\n\n', '\n', 'a\n ', 'x\u00a0', '\ufeff', 'a\u2028 b', '\u3000', '\uffff'];
  for (const end of ends) {
    expect(parseYaml(`${yamlText({ end }, false)}\n`, 'a file')).toEqual({ end });
    expect(parseYaml(`${yamlText([end], true)}\n`, 'a file')).toEqual([end]);
  }
  const texts = ['a\tb', '=', 'x\u0085y', '\u007f', 'two\nlines\t\u009f', 'plain'];
  const text = yamlText(texts, false);
  expect(text.split('\n')).toEqual([
    '- "a\\tb"',
    '- "="',
    '- "x\\u0085y"',
    '- "\\u007f"',
    '- "two\\nlines\\t\\u009f"',
    '- plain',
  ]);
  expect(parseYaml(text, 'a file')).toEqual(texts);
});
