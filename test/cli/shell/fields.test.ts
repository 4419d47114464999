import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseField, readBytes, readLine, readFields } from '../../../src/cli/shell/fields.ts';
import { InputNeededError, UsageError } from '../../../src/cli/shell/failure.ts';
import { terminalInput, type InputSource } from '../../../src/cli/shell/input.ts';
import { tempDir } from '../../support/temp-dir.ts';

/** An input source with prepared contents: stdin, typed text, and files. */
function prepared(held: { stdin?: string; typed?: string; files?: Record<string, string> }): InputSource {
  return {
    ...terminalInput(false),
    stdin: () => Promise.resolve(held.stdin ?? ''),
    hidden: () => Promise.resolve(held.typed ?? ''),
    file: (path) => held.files?.[path] ?? '',
  };
}

const nothing = prepared({});

describe('parseField', () => {
  test.each([
    ['id.first_name=Jane', { identifier: 'id.first_name', from: 'text', value: 'Jane' }],
    ['id.first_name=', { identifier: 'id.first_name', from: 'text', value: '' }],
    ['custom.equation=a=b', { identifier: 'custom.equation', from: 'text', value: 'a=b' }],
    ['custom.smile=:=)', { identifier: 'custom.smile', from: 'text', value: ':=)' }],
    ['custom.minus=--', { identifier: 'custom.minus', from: 'text', value: '--' }],
    [`custom.tags:=["a"]`, { identifier: 'custom.tags', from: 'json', value: '["a"]' }],
    ['id.ssn9:=null', { identifier: 'id.ssn9', from: 'json', value: 'null' }],
    ['id.ssn9=-', { identifier: 'id.ssn9', from: 'stdin', value: '' }],
    ['id.ssn9=?', { identifier: 'id.ssn9', from: 'prompt', value: '' }],
    ['custom.note=@note.txt', { identifier: 'custom.note', from: 'file', value: 'note.txt' }],
  ])('parseField: reads %s', (argument, field) => {
    expect(parseField(argument, 1)).toEqual(field);
  });

  test.each(['123-45-6789', '=123-45-6789', ':=123-45-6789', ''])(
    'parseField: refuses what names no identifier without repeating it (%j)',
    (argument) => {
      const failure = failureOf(() => parseField(argument, 3));
      expect(failure).toBeInstanceOf(UsageError);
      expect(failure.message).toContain('Field 3');
      expect(failure.message).not.toContain('6789');
    },
  );
});

describe('readFields', () => {
  test('readFields: makes one body of all kinds of fields', async () => {
    const input = prepared({ stdin: 'from stdin\n', files: { 'note.txt': 'line\n' } });
    const fields = [
      'id.first_name=Jane',
      'custom.list:=[1,{"a":null}]',
      'custom.in=-',
      'custom.file=@note.txt',
    ];
    expect(await readFields({ fields }, input)).toEqual({
      'id.first_name': 'Jane',
      'custom.list': [1, { a: null }],
      'custom.in': 'from stdin',
      'custom.file': 'line\n',
    });
  });

  test('readFields: answers nothing when there is nothing', async () => {
    expect(await readFields({ fields: [] }, nothing)).toBeUndefined();
  });

  test('readFields: fields win over members of --data', async () => {
    const data = '{"id.first_name":"Joe","id.last_name":"Doe"}';
    expect(await readFields({ fields: ['id.first_name=Jane'], data }, nothing)).toEqual({
      'id.first_name': 'Jane',
      'id.last_name': 'Doe',
    });
  });

  test.each([
    ['stdin', '-', { stdin: '{"a.b":1}' }],
    ['a file', '@body.json', { files: { 'body.json': '{"a.b":1}' } }],
    ['stdin with a byte order mark', '-', { stdin: '\ufeff{"a.b":1}' }],
    ['a file with a byte order mark', '@body.json', { files: { 'body.json': '\ufeff{"a.b":1}' } }],
  ])('readFields: takes --data from %s', async (_, data, held) => {
    expect(await readFields({ fields: [], data }, prepared(held))).toEqual({ 'a.b': 1 });
  });

  test('readFields: a member named __proto__ stays a member', async () => {
    const body = await readFields({ fields: ['__proto__=x'] }, nothing);
    expect(Object.keys(body ?? {})).toEqual(['__proto__']);
  });

  test.each([
    ['two fields from stdin', ['id.ssn9=-', 'id.dob=-'], undefined],
    ['a field and --data from stdin', ['id.ssn9=-'], '-'],
    ['an identifier twice', ['id.ssn9=123456789', 'id.ssn9=987654321'], undefined],
    ['JSON that is none', ['custom.tags:=[123456789'], undefined],
    ['--data that is no JSON', [], '{"id.ssn9": 123456789'],
    ['--data that is no object', [], '["123456789"]'],
    ['--data that is a number of twenty digits', [], '12345678901234567890'],
  ])('readFields: refuses %s and repeats no value', async (_, fields, data) => {
    const failure = await readFields({ fields, data }, nothing).catch((error: unknown) => error as Error);
    expect(failure).toBeInstanceOf(UsageError);
    expect((failure as Error).message).not.toMatch(/123456789|987654321/);
  });

  test.each([
    ['a field for --data', [], 'id.ssn9=123456789', 'a field is given without --data: id.first_name=Jane'],
    ['an object for a field', ['{"id.ssn9":"123456789"}'], undefined, 'a JSON object is given with --data'],
  ])('readFields: refuses %s, and says where it belongs', async (_, fields, data, hint) => {
    await expect(readFields({ fields, data }, nothing)).rejects.toMatchObject({
      message: expect.not.stringContaining('123456789') as string,
      hint,
    });
  });

  test('readFields: a hidden prompt without a terminal needs input', async () => {
    await expect(readFields({ fields: ['id.ssn9=?'] }, terminalInput(false))).rejects.toThrow(
      InputNeededError,
    );
  });
});

function failureOf(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}

describe('readBytes', () => {
  const input: InputSource = { ...prepared({}), stdinBytes: () => Promise.resolve(Buffer.of(0xff, 0x0a)) };

  test('readBytes: a file and stdin as they are, a text as UTF-8', async () => {
    using folder = tempDir();
    const path = join(folder.path, 'a.bin');
    writeFileSync(path, Buffer.of(0, 0xfe, 0x0a));
    expect(await readBytes(`@${path}`, input)).toEqual(Buffer.of(0, 0xfe, 0x0a));
    expect(await readBytes('-', input)).toEqual(Buffer.of(0xff, 0x0a));
    expect(await readBytes('é', input)).toEqual(Buffer.of(0xc3, 0xa9));
  });

  test('readBytes: a file that is absent is a mistake of the command line, its name not repeated', async () => {
    await expect(readBytes('@219-09-9999', input)).rejects.toThrow(
      new UsageError('A file named after @ cannot be read: there is no such file or folder (ENOENT)'),
    );
  });
});

test('readLine: the last line end of a file or of stdin is left out, that of an argument stays', async () => {
  const input = prepared({ stdin: 'in\n\n', files: { 'note.txt': 'line\n' } });
  const read = ['-', '@note.txt', 'typed\n'].map((text) => readLine(text, input));
  expect(await Promise.all(read)).toEqual(['in\n', 'line', 'typed\n']);
});
