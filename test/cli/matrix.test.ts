/**
 * The output contract (docs/architecture.md#command-line), for every command of the manifest: what succeeds, what is not
 * sent, and usage that is wrong. test/cli/matrix-refusals.test.ts has the other situations. A planted value or key must
 * not appear in any output.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { describe, expect, test } from 'vitest';
import { mayRunDry } from '../../src/cli/shell/dry-run-commands.ts';
import { displayWidth } from '../../src/kernel/terminal-text.ts';
import { ROOT } from '../support/daemon.ts';
import {
  ASKS,
  CANARY,
  commands,
  expectCanaryInVaultOnly,
  expectFailure,
  ids,
  MODES,
  run,
  testIf,
  useMatrixWorld,
  wordsOf,
} from './matrix-world.ts';

/** Commands that other tests run through the binary: the test file, and why they don't run here. */
const ELSEWHERE: Readonly<Record<string, readonly [file: string, why: string]>> = {
  start: ['lifecycle', 'starts a daemon'],
  stop: ['lifecycle', 'ends the daemon'],
  restart: ['lifecycle', 'ends the daemon'],
  demo: ['demo', 'has an instance of its own'],
  exec: ['exec', 'its streams and its exit code are those of a child'],
  reset: ['capabilities', 'takes away what the others need'],
  'snapshot:load': ['capabilities', 'takes away what the others need'],
  logs: ['lifecycle', 'the daemon of this test logs elsewhere'],
  'keyring:slots:create': ['terminal', 'asks; changes what opens the vault'],
  'keyring:slots:delete': ['nouns', 'changes what opens the vault'],
  'keyring:rotate': ['nouns', 'changes what opens the vault'],
  'proxy:echo': ['echo', 'serves until it is ended'],
  'partner:echo': ['partner', 'serves until it is ended'],
  'webhooks:listen': ['webhooks', 'serves until it is ended'],
  'webhooks:verify': ['webhooks', 'reads stdin'],
  mcp: ['mcp', 'speaks a protocol until its input ends'],
  'requests:tail': ['requests', 'goes on until it is ended'],
  'bank:import': ['bank-import', 'reads a file that names an account'],
  'compare:run': ['compare', 'asks a remote, too'],
  'compare:record': ['compare', 'asks a remote, and no daemon'],
  'compare:replay': ['compare', 'reads a transcript'],
  init: ['project', 'makes a project of the folder, whose instance the others would speak to'],
  'vault:download': ['files', 'needs a token that is good once'],
};
/** The exit code of the first example with the streams of this test, and why it isn't 0. */
const OK_CODES: Readonly<Record<string, readonly [code: number, why: string]>> = {
  'users:search': [3, 'asks for the text'],
  'businesses:search': [3, 'asks for the text'],
  'users:verify': [3, 'asks for what was said'],
  'businesses:verify': [3, 'asks for what was said'],
  'vault:set': [3, 'asks for a value'],
  'proxy:send': [1, 'the target of the example is not there'],
  'users:cip': [1, 'the partner of the example is not there'],
  'webhooks:trigger': [1, 'the endpoints that examples register are not there'],
};

useMatrixWorld();

describe.each(ids)('%s', (id) => {
  const words = id.split(':');

  test('usage: an unknown flag is exit 2, and its value is not shown', async () => {
    for (const mode of MODES)
      expectFailure(await run([...words, ...mode, `--no-such-flag=${CANARY}`]), mode, 2);
  });

  testIf(ELSEWHERE[id] === undefined)('ok: the result stands on stdout alone', async () => {
    const [code = 0] = OK_CODES[id] ?? [];
    for (const mode of [['--json'], [], ['--output', 'yaml']]) {
      const argv = await wordsOf(id);
      const outcome = await run([...argv, ...mode]);
      const shown = `${argv.join(' ')} ${JSON.stringify(outcome)}`;
      expect(outcome.code, shown).toBe(code);
      expect(shown).not.toContain('\u001b');
      if (code !== 0) continue;
      if (mode.length > 0) expect(outcome.stderr, shown).toBe('');
      else if (TABLE.test(outcome.stdout)) await expectFitting(await wordsOf(id));
      if (mode[0] === '--json') {
        for (const line of outcome.stdout.trimEnd().split('\n'))
          expect(() => JSON.parse(line) as unknown, shown).not.toThrow();
      }
      if (mode[0] === '--output') {
        for (const document of parseAllDocuments(outcome.stdout)) {
          expect('errors' in document ? document.errors : [], shown).toEqual([]);
          expect(typeof document.toJS(), shown).not.toBe('string');
        }
      }
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
