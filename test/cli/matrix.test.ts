/**
 * The output contract (docs/architecture.md#command-line), for every command of the manifest: what succeeds, what is not
 * sent, and usage that is wrong. matrix-modes.test.ts has the other forms of output, matrix-refusals.test.ts the other
 * situations. A planted value or key must
 * not appear in any output.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mayRunDry } from '../../src/cli/shell/dry-run-commands.ts';
import { ROOT } from '../support/daemon.ts';
import {
  ASKS,
  CANARY,
  commands,
  ELSEWHERE,
  expectCanaryInVaultOnly,
  expectFailure,
  ids,
  MODES,
  OK_CODES,
  run,
  testIf,
  useMatrixWorld,
  wordsOf,
} from './matrix-world.ts';

useMatrixWorld();

describe.each(ids)('%s', (id) => {
  const words = id.split(':');

  test('usage: an unknown flag is exit 2, and its value is not shown', async () => {
    for (const mode of MODES)
      expectFailure(await run([...words, ...mode, `--no-such-flag=${CANARY}`]), mode, 2);
  });

  testIf(ELSEWHERE[id] === undefined)('ok: the result stands on stdout alone', async () => {
    const [code = 0] = OK_CODES[id] ?? [];
    for (const mode of MODES) {
      const argv = await wordsOf(id);
      const outcome = await run([...argv, ...mode]);
      const shown = `${argv.join(' ')} ${JSON.stringify(outcome)}`;
      expect(outcome.code, shown).toBe(code);
      expect(shown).not.toContain('\u001b');
      if (code !== 0) continue;
      if (mode.length === 0) continue;
      expect(outcome.stderr, shown).toBe('');
      for (const line of outcome.stdout.trimEnd().split('\n'))
        expect(() => JSON.parse(line) as unknown, shown).not.toThrow();
    }
  });

  testIf(mayRunDry(id))('--dry-run: a curl command, and nothing is sent', async () => {
    const argv = await wordsOf(id);
    if (commands[id]?.flags['dry-run'] === undefined || id === 'bank:import') return;
    if (id.startsWith('fake:')) argv.push('--create');
    const nowhere = { KYCLONE_BASE_URL: 'http://127.0.0.1:1' };
    const outcome = await run([...argv, '--dry-run'], nowhere);
    if (ASKS.test(id)) {
      expectFailure(outcome, [], 3);
      return;
    }
    expect(outcome, argv.join(' ')).toMatchObject({ code: 0 });
    expect(outcome.stdout).toMatch(/^(?:printf '[\\\d]*' \| )?curl /);
    const asJson = await run([...argv, '--dry-run', '--json'], nowhere);
    expect(asJson).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(asJson.stdout)).toHaveProperty(['requests', 0, 'method']);
  });
});

test('the commands that run elsewhere are there, and run there', () => {
  for (const [id, [file]] of Object.entries(ELSEWHERE)) {
    const path = join(ROOT, 'test', 'cli', 'binary', `${file}.test.ts`);
    expect(ids).toContain(id);
    expect(existsSync(path) && readFileSync(path, 'utf8').includes(id.split(':').at(-1) ?? ''), id).toBe(
      true,
    );
  }
});

test('canary: it is in the vault, and neither in the log nor in the journal nor in any file', async () => {
  await expectCanaryInVaultOnly();
});
