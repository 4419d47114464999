/** Results as data: what reaches a terminal, and that the output to a pipe stays the same. */
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { chooseOutput } from '../../../src/cli/shell/output.ts';
import { dataWriter } from '../../../src/cli/shell/output.ts';

const HOSTILE = {
  id: 'x\u001b]0;title\u0007',
  external_id: 'a\u061cb\u202ec\u009b2J\u007f',
  lines: 'one\ntwo\u001b[2J\u{e0041}',
  plain: 'one\ntwo',
  'na\u202eme': ['\u2028', 'Zoë', 'null', '0x1f'],
};

const OBEYED =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]|\p{Bidi_Control}|[\u{e0000}-\u{e007f}]/u;

const writers = {
  json: { output: 'json' },
  yaml: { output: 'yaml' },
  id: { output: 'id' },
  field: { field: ['external_id', 'id'] },
};

test.each(Object.entries(writers))(
  'dataWriter: %s on a terminal holds no character that a terminal interprets (JSON and YAML held C1, DEL and bidi marks)',
  async (_, flags) => {
    const writer = await dataWriter(chooseOutput(flags), true);
    for (const text of [writer?.whole(HOSTILE), writer?.entry(HOSTILE)]) {
      expect(text).toBeTypeOf('string');
      expect(text?.replaceAll('\t', ' ')).not.toMatch(OBEYED);
    }
  },
);

test('dataWriter: JSON and YAML of a terminal mean the same values', async () => {
  const json = await dataWriter(chooseOutput({ json: true }), true);
  expect(JSON.parse(json?.whole(HOSTILE) ?? '')).toEqual(HOSTILE);
  expect(JSON.parse(json?.entry(HOSTILE) ?? '')).toEqual(HOSTILE);
  const yaml = await dataWriter(chooseOutput({ output: 'yaml' }), true);
  expect(parse(yaml?.whole(HOSTILE) ?? '')).toEqual(HOSTILE);
});

test('dataWriter: a pipe gets the characters themselves', async () => {
  const json = await dataWriter(chooseOutput({ json: true }), false);
  expect(json?.whole(HOSTILE)).toBe(JSON.stringify(HOSTILE));
  const field = await dataWriter(chooseOutput({ field: ['external_id'] }), false);
  expect(field?.whole(HOSTILE)).toBe(HOSTILE.external_id);
});
