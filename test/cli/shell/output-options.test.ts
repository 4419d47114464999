import { describe, expect, test } from 'vitest';
import { chooseOutput, wantsJson } from '../../../src/cli/shell/output.ts';
import { dataWriter } from '../../../src/cli/shell/output.ts';
import { fieldLines, idsOf, parsePath } from '../../../src/cli/shell/select.ts';

const lines = (result: unknown, ...paths: string[]) => fieldLines(result, paths.map(parsePath));

const PAGE = {
  data: [
    { id: 'fp_id_1', label: null, tags: ['a', 'b'] },
    { id: 'fp_id_2', 'id.first_name': 'Jane\tDoe', tags: [] },
  ],
  meta: { next: null, count: 2 },
  'id.first_name': 'Jane\nDoe',
};

describe('--field', () => {
  test.each([
    ['data[].id', ['fp_id_1', 'fp_id_2']],
    ['data[0].id', ['fp_id_1']],
    ['.meta.count', ['2']],
    ['meta', ['{"next":null,"count":2}']],
    ['meta.next', ['']],
    ['data[].tags', ['["a","b"]', '[]']],
    ['data[].tags[]', ['a', 'b']],
    ['data[0].tags', ['a', 'b']],
    ['["id.first_name"]', ['Jane\nDoe']],
    ['id.first_name', ['Jane\nDoe']],
    ['data[].id.first_name', ['', 'Jane\\tDoe']],
    ['data[]["id.first_name"]', ['', 'Jane\\tDoe']],
    ['data[].label', ['', '']],
  ])('--field: %s finds what it names', (path, expected) => {
    expect(lines(PAGE, path)).toEqual(expected);
  });

  test('--field: several are columns with tabs, a row for each entry', () => {
    expect(lines(PAGE, 'data[].id', 'meta.count', 'data[].id.first_name')).toEqual([
      'fp_id_1\t2\t',
      'fp_id_2\t2\tJane\\tDoe',
    ]);
  });

  test('--field: of an empty list is nothing', () => {
    expect(lines({ data: [] }, 'data[].id')).toEqual([]);
  });

  test.each(['nothing', 'meta.nothing', 'data.id', 'data[7]', 'meta[]', 'data[].nothing', 'constructor'])(
    '--field: %s is a failure that names members and no values',
    (path) => {
      const failed = (() => {
        try {
          return lines(PAGE, path);
        } catch (error) {
          return error as { code: string; exitCode: number; message: string; hint?: string };
        }
      })();
      expect(failed).toMatchObject({ code: 'field_unknown', exitCode: 1 });
      expect(JSON.stringify(failed)).not.toMatch(/Jane|fp_id_1/);
    },
  );

  test('--field: what is there instead is named', () => {
    expect(() => lines(PAGE, 'meta.nothing')).toThrow(
      expect.objectContaining({ hint: 'there are: next, count' }) as Error,
    );
  });

  test('--field: data that is given as a member is refused before anything is sent, and not repeated', () => {
    expect(() => parsePath('id.first_name=Ann')).toThrow(
      expect.objectContaining({
        hint: expect.stringContaining('id.first_name=Jane, without --field') as string,
      }) as Error,
    );
    expect(lines({ 'a=b': 1 }, '["a=b"]')).toEqual(['1']);
  });

  test.each(['', 'a..b', 'a[', 'a]', 'a[x]', 'a b', '[]x', 'a["b]', 'a=b', '=', 'a[0]=1'])(
    '--field: %j is no path',
    (path) => {
      expect(() => parsePath(path)).toThrow('--field takes a path into the result');
    },
  );

  test('--field: lists of different lengths make no columns', () => {
    expect(() => lines(PAGE, 'data[].id', 'data[0].tags[]', 'data[].tags[]')).not.toThrow();
    expect(() => lines({ a: [1], b: [1, 2] }, 'a[]', 'b[]')).toThrow('different lengths');
  });
});

describe('--output id', () => {
  test.each([
    [{ id: 'fp_id_1', key: 'secret' }, ['fp_id_1']],
    [{ data: [{ id: 'a' }, { id: 'b' }], meta: {} }, ['a', 'b']],
    [{ data: [], meta: {} }, []],
    [{}, []],
    [[{ transaction_id: 'txn_1', account_id: 'acct_1' }], ['txn_1']],
    [{ accounts: [{ id: 'acct_1' }] }, ['acct_1']],
    [
      [{ name: 'default' }, { name: 'investor' }],
      ['default', 'investor'],
    ],
    [{ key: 'pb_test_mine', name: 'Mine' }, ['pb_test_mine']],
    [{ data: [{ seq: 1 }] }, ['1']],
  ])('--output id: of %j', (result, expected) => {
    expect(idsOf(result)).toEqual(expected);
  });

  test('--output id: what has none is a failure that names its members', () => {
    expect(() => idsOf({ ok: true, checked: 4711 })).toThrow(
      expect.objectContaining({ exitCode: 1, code: 'no_id' }) as Error,
    );
  });
});

describe('--output', () => {
  test.each([
    [{ json: true, output: 'yaml' }],
    [{ json: true, output: 'table' }],
    [{ json: true, field: ['id'] }],
    [{ output: 'id', field: ['id'] }],
  ])('--output: %j contradicts itself', (flags) => {
    expect(() => chooseOutput(flags)).toThrow(expect.objectContaining({ exitCode: 2 }) as Error);
  });

  test.each([
    [{}, 'table'],
    [{ json: true }, 'json'],
    [{ json: true, output: 'json' }, 'json'],
    [{ output: 'yaml' }, 'yaml'],
    [{ field: ['id'] }, 'field'],
  ])('--output: %j is %s', (flags, kind) => {
    expect(chooseOutput(flags).kind).toBe(kind);
  });

  test.each([
    [['--json'], true],
    [['--output', 'json'], true],
    [['--output=json'], true],
    [['--output', 'yaml'], false],
    [['--', '--json'], false],
  ])('--output: a command line of %j wants failures as JSON: %s', (argv, expected) => {
    expect(wantsJson(argv)).toBe(expected);
  });

  test('--output yaml: a stream is a document for each thing', async () => {
    const writer = await dataWriter(chooseOutput({ output: 'yaml' }), false);
    expect(writer?.entry({ type: 'x', at: 1 })).toBe('---\ntype: x\nat: 1');
    expect(writer?.whole({ a: '1988-12-30', b: 'no', c: undefined })).toBe('a: "1988-12-30"\nb: "no"');
  });

  test('--field: control characters reach no terminal', async () => {
    const writer = await dataWriter(chooseOutput({ field: ['a'] }), true);
    expect(writer?.whole({ a: 'x\u001b[31m\ny' })).toBe('x\\x1b[31m\ny');
  });
});
