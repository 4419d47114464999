/** What people paste and mix up on a command line. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jsonFault } from '../../../src/kernel/text/json.ts';
import { requireOrder, unwrapPasted } from '../../../src/cli/shell/typed-arguments.ts';
import { readData, readFields } from '../../../src/cli/shell/fields.ts';
import { terminalInput } from '../../../src/cli/shell/input.ts';
import { commonFlags, entityArg, reasonFlag, someIdentifiersArg } from '../../../src/cli/shell/flags.ts';
import { urlOf } from '../../../src/nouns/webhooks/commands/targets.ts';
import { tempDir } from '../../support/temp-dir.ts';

const ID = 'fp_id_7p793EF07xKXHqAeg5VGPj';

test.each([
  `"${ID}"`,
  `'${ID}',`,
  ` ${ID} `,
  `${ID},`,
  `“${ID}”`,
  `["${ID}"]`,
  `\t${ID};\n`,
  `\u00a0\`${ID}\``,
])('unwrapPasted: %j is the id', (text) => {
  const values: Record<string, unknown> = { fp_id: text, ids: [text], other: 7, identifiers: ['"id.dob",'] };
  unwrapPasted(values);
  expect(values).toEqual({ fp_id: ID, ids: [ID], other: 7, identifiers: ['id.dob'] });
});

test.each([
  ['link_0, "link_1",', 'link_0,link_1'],
  ['"cttok_0"', 'cttok_0'],
  ['say "hi",', 'say "hi",'],
])('unwrapPasted: of %j makes %j', (text, clean) => {
  const values: Record<string, unknown> = { text };
  unwrapPasted(values);
  expect(values['text']).toBe(clean);
});

describe('requireOrder', () => {
  const decrypt = { args: { ...entityArg, ...someIdentifiersArg }, command: 'vault decrypt' };
  const flags = { ...commonFlags, reason: reasonFlag() };
  const line = (fp_id: string, identifiers: readonly string[], argv: readonly string[] = []) =>
    requireOrder({ ...decrypt, flags, argv, values: { fp_id, identifiers } });

  test('requireOrder: an id behind the identifiers is named as such, with the order and no value', () => {
    expect(() => line('id.dob', [ID])).toThrow(
      expect.objectContaining({
        message: 'The arguments are in the wrong order: FP_ID is given in the place of another',
        hint: 'kyclone vault decrypt FP_ID IDENTIFIERS...',
      }),
    );
    expect(() => line('id.dob', ['id.ssn9', ID])).toThrow(/wrong order/);
  });

  test('requireOrder: a path before the id of a link, a field before the id of a user', () => {
    const args = { link_id: { description: 'id of the link (link_…)' }, file: { description: 'path' } };
    const values = { link_id: 'books.csv', file: 'link_7p793EF07xKXHqAeg5VGPj' };
    expect(() => requireOrder({ args, values, argv: [], flags: {}, command: 'bank import' })).toThrow(
      /wrong order: LINK_ID/,
    );
    const set = { fp_id: entityArg.fp_id, fields: { multiple: true } };
    const given = { fp_id: 'id.dob=1984-03-12', fields: [ID] };
    const wrong = () => requireOrder({ args: set, values: given, argv: [], flags: {}, command: 'vault set' });
    expect(wrong).toThrow(/wrong order/);
    expect(wrong).not.toThrow(/1984/);
  });

  test('requireOrder: an external id before an id, and a note that is an id, are in order', () => {
    line('customer-4711', [ID]);
    const args = { fp_id: entityArg.fp_id, other: entityArg.fp_id, text: {} };
    const values = { fp_id: 'customer-4711', other: ID, text: ID };
    requireOrder({ args, values, argv: [], flags: {}, command: 'users compare' });
  });

  test.each([
    [['--reason', 'support', 'case', ID, 'id.dob'], 'case', [ID, 'id.dob']],
    [[ID, 'id.dob', '--reason', 'support', 'case'], ID, ['id.dob', 'case']],
    [[ID, 'id.dob', '--reason=support', 'case'], ID, ['id.dob', 'case']],
  ])('requireOrder: a text without quotes asks for them (%j)', (argv, first, rest) => {
    expect(() => line(first, rest, argv)).toThrow('--reason takes one text: put several words in quotes');
  });
});

test.each([
  ['3000', 'http://localhost:3000'],
  [':3000/hooks', 'http://localhost:3000/hooks'],
  ['3000/hooks', 'http://localhost:3000/hooks'],
  ['localhost:3000/hooks', 'http://localhost:3000/hooks'],
  ['127.0.0.1:3000', 'http://127.0.0.1:3000'],
  ['[::1]:3000/x', 'http://[::1]:3000/x'],
  ['app:3000', 'http://app:3000'],
  ['https://x.example/', 'https://x.example/'],
  ['ftp://x.example/', 'ftp://x.example/'],
  ['hooks', 'hooks'],
])('urlOf: %j means %j', (text, url) => {
  expect(urlOf(text)).toBe(url);
});

test.each([
  ['{"a": 1,\n "b" 2}', 2, 6],
  ['{"a": [1, 2}', 1, 12],
  ["{'a': 1}", 1, 2],
  ['{"a": 1,}', 1, 9],
  ['{"a": "x\n"}', 1, 7],
  ['{"a": 1', 1, 8],
  ['{"a": TRUE}', 1, 7],
  ['[1 2]', 1, 4],
  ['{} {}', 1, 4],
  ['', 1, 1],
])('jsonFault: %j breaks at line %i, column %i', (text, line, column) => {
  expect(jsonFault(text)).toEqual({ line, column });
});

test.each(['{}', ' [1, -2.5e3, "\\u00e9", {"a": {"b": [true, null]}}]\n', '"x"', '0'])(
  'jsonFault: nothing is wrong with %j',
  (text) => {
    expect(jsonFault(text)).toBeUndefined();
  },
);

describe('--data', () => {
  const input = terminalInput(false);

  test('--data: the name of a file without @ says how to write it', async () => {
    await expect(readData('person.json', input)).rejects.toThrow(/write @person\.json$/);
  });

  test('--data: broken JSON says line and column, and nothing of the text', async () => {
    using folder = tempDir();
    const path = join(folder.path, 'person.json');
    writeFileSync(path, '{\n  "id.ssn9": "121-12-1212"\n  "id.dob": 1\n}');
    await expect(readData(`@${path}`, input)).rejects.toThrow(/^--data is not JSON: line 3, column 3$/);
  });

  test('--data: a missing file says its name; a value that begins with @ is not repeated', async () => {
    await expect(readData('@person.json', input)).rejects.toThrow(
      'The file person.json cannot be read: there is no such file or folder (ENOENT)',
    );
    await expect(readData('@person', input)).rejects.toThrow(
      'The file person cannot be read: there is no such file or folder (ENOENT)',
    );
    await expect(readFields({ fields: ['custom.handle=@jane_doe'] }, input)).rejects.toThrow(
      'A file named after @ cannot be read: there is no such file or folder (ENOENT)',
    );
    await expect(input.secret('@./key.pem', 'Secret')).rejects.toThrow('A file named after @ cannot');
  });
});
