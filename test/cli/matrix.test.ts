/**
 * The output contract (docs/architecture.md#command-line), for every command of the manifest: what succeeds, what is not
 * sent, and usage that is wrong. matrix-modes.test.ts has the other forms of output, matrix-refusals.test.ts the other
 * situations. A planted value or key must
 * not appear in any output.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Capabilities } from '../../src/cli/capabilities/document.ts';
import { mayRunDry } from '../../src/cli/shell/dry-run-commands.ts';
import type { CliOutcome } from '../support/cli.ts';
import { ROOT } from '../support/daemon.ts';
import {
  ASKS,
  CANARY,
  commands,
  ELSEWHERE,
  expectCanaryInVaultOnly,
  expectFailure,
  ids,
  knownWordsOf,
  MODES,
  OK_CODES,
  run,
  testIf,
  useMatrixWorld,
  wordsOf,
} from './matrix-world.ts';

useMatrixWorld();

const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }));
let known: Capabilities['commands'] = [];
beforeAll(async () => {
  const document = JSON.parse((await run(['capabilities', '--json'])).stdout) as Capabilities;
  known = document.commands;
  ajv.addSchema({ $id: 'kyclone', output_schemas: document.output_schemas });
});
/** Each line of the output is JSON after the schema that `kyclone capabilities` declares, and nothing is beside it. */
function expectDeclared(id: string, { stdout, stderr }: CliOutcome): void {
  expect(stderr, stdout).toBe('');
  const schema = known.find((each) => each.id === id.replaceAll(':', ' '))?.output.schema ?? true;
  const isValid = ajv.compile(
    JSON.parse(JSON.stringify(schema).replaceAll('#/', 'kyclone#/')) as object | boolean,
  );
  for (const line of stdout.trimEnd().split('\n'))
    expect([isValid(JSON.parse(line)), isValid.errors], stdout).toEqual([true, null]);
}

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
      if (code === 0 && mode.length > 0) expectDeclared(id, outcome);
    }
  });

  testIf(commands[id]?.flags['yes'])('confirmation: without --yes and a terminal it is exit 3', async () => {
    const argv = (await knownWordsOf(id)).filter((word) => word !== '--yes');
    for (const mode of MODES) expectFailure(await run([...argv, ...mode], {}), mode, 3);
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

test('ok: what takes away what the others need', async () => {
  await run(['snapshot', 'create', 'whole']);
  for (const line of ['snapshot load whole --yes', 'reset --yes']) {
    const outcome = await run([...line.split(' '), '--json']);
    expectDeclared(line.replace(/ (?:whole )?--yes/, '').replace(' ', ':'), outcome);
  }
});

test('canary: it is in the vault, and neither in the log nor in the journal nor in any file', async () => {
  await expectCanaryInVaultOnly();
});
