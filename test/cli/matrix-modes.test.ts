/**
 * The output contract (docs/architecture.md#command-line), for every command of the manifest: its result as YAML, and its
 * tables in a terminal of 80 columns. test/cli/matrix.test.ts has JSON and plain text.
 */
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { displayWidth } from '../../src/kernel/text/terminal-text.ts';
import '../support/tier-all.ts';
import { ELSEWHERE, ids, OK_CODES, run, useMatrixWorld, wordsOf } from './matrix-world.ts';

useMatrixWorld();

describe.each(ids.filter((id) => ELSEWHERE[id] === undefined && OK_CODES[id] === undefined))('%s', (id) => {
  test('ok: --output yaml is documents of YAML', async () => {
    const outcome = await run([...(await wordsOf(id)), '--output', 'yaml']);
    const shown = JSON.stringify(outcome);
    expect(outcome, shown).toMatchObject({ code: 0, stderr: '' });
    for (const document of parseAllDocuments(outcome.stdout)) {
      expect('errors' in document ? document.errors : [], shown).toEqual([]);
      expect(typeof document.toJS(), shown).not.toBe('string');
    }
  });

  test('ok: its tables fit 80 columns', async () => {
    await expectFitting(await wordsOf(id));
  });
});

/** A line of headings. */
const TABLE = /^[A-Z][A-Z()]*(?: [A-Z(][A-Z()]*)*(?: {2,}[A-Z][A-Z()]*(?: [A-Z(][A-Z()]*)*)+$/m;

/** Every line of a table, which ends at an empty line, fits a terminal of 80 columns. */
async function expectFitting(argv: readonly string[]): Promise<void> {
  const outcome = await run(argv, { NO_COLOR: '1' }, 80);
  const [, ...tables] = outcome.stdout.split(new RegExp(TABLE, 'gm'));
  const lines = tables.flatMap((part) => part.slice(0, `${part}\n\n`.indexOf('\n\n')).split('\n'));
  const isOfTable = (line: string) => !line.includes('; continue with --cursor ');
  for (const line of [...lines, ...(new RegExp(TABLE, 'gm').exec(outcome.stdout) ?? [])].filter(isOfTable))
    expect(displayWidth(line), `${argv.join(' ')}\n${outcome.stdout}`).toBeLessThanOrEqual(80);
}
