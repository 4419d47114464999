/** The built program on a command line that names no command. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runInProcess } from '../../support/cli-in-process.ts';
import { ROOT } from '../../support/daemon.ts';

const run = (...argv: string[]) => runInProcess(argv, { home: ROOT, environment: { NO_COLOR: '1' } });
const PS = 'kyclone ps is not a command; did you mean "kyclone status"?';

describe('unknown commands', () => {
  test.each([
    [['ps']],
    [['--instance', 'quillonda', 'ps', '-a', 'id.ssn9=123-45-6789']],
    [['help', 'ps']],
    [['ps', '--help']],
  ])('%j: is a usage error that suggests a command', async (argv) => {
    expect(await run(...argv)).toEqual({
      code: 2,
      stdout: '',
      stderr: `Error: ${PS}\nHint: kyclone status --help\n`,
    });
  });

  test('--json: the suggestion is part of the message', async () => {
    const { code, stdout, stderr } = await run('ps', '--json');
    expect([code, stdout]).toEqual([2, '']);
    expect(JSON.parse(stderr)).toEqual({ message: PS, code: 'usage', exit_code: 2 });
  });

  test.each([
    ['bank link list', 'kyclone bank links list'],
    ['bank link delete link_1 --yes', 'kyclone bank links delete'],
    ['bank link get --help', 'kyclone bank links get'],
    ['keys rotate', 'kyclone keys create'],
    ['webhooks send', 'kyclone webhooks trigger'],
  ])('%s: a topic without this verb suggests %s', async (line, command) => {
    const { code, stderr } = await run(...line.split(' '));
    expect(code).toBe(2);
    expect(stderr).toContain(`did you mean "${command}"`);
  });

  test('bank link: stays a command of its own, with and without flags', async () => {
    expect((await run('bank', 'link', '--help')).stdout).toContain('$ kyclone bank link [');
    expect((await run('bank', 'link', 'quillonda')).stderr).toContain('One argument too many');
    expect((await run('bank', 'link', '--no-such-flag')).stderr).toContain('Unknown flag --no-such-flag');
  });

  test('bundles: that of the frequent commands holds no guesses', () => {
    const holds = (file: string) =>
      readFileSync(join(ROOT, 'dist', file), 'utf8').includes('beneficial owner, ubo');
    expect([holds('cli.cjs'), holds('cli-frequent.cjs')]).toEqual([true, false]);
  });
});
