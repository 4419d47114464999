import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { assignments, shellOf, type Shell } from '../../src/cli/shell-quoting.ts';

const HOSTILE = {
  KYCLONE_A: `it's "quoted" $HOME \`id\` \\ back\\'slash`,
  KYCLONE_B: 'http://127.0.0.1:4630/?a=b&c=d#e',
  KYCLONE_C: 'two\nlines',
  KYCLONE_D: '',
};

const PRINT = `process.stdout.write(JSON.stringify(Object.fromEntries(Object.entries(process.env).filter(([n]) => n.startsWith('KYCLONE_')).sort())))`;

/** Shells that take a script by -c, and how one asks whether they are there. */
const SHELL_PROGRAMS: readonly [program: string, shell: Shell][] = [
  ['sh', 'sh'],
  ['bash', 'sh'],
  ['zsh', 'sh'],
  ['fish', 'fish'],
  ['pwsh', 'powershell'],
];
const isThere = (program: string) => spawnSync(program, ['-c', 'exit 0']).status === 0;

describe('assignments', () => {
  test.each(SHELL_PROGRAMS.filter(([program]) => program === 'sh' || isThere(program)))(
    'assignments: %s sets exactly these values',
    (program, shell) => {
      const node =
        program === 'pwsh' ? `& '${process.execPath}' -e $env:PRINT` : `'${process.execPath}' -e "$PRINT"`;
      const script = `${assignments(HOSTILE, shell)}\n${node}`;
      const { PATH, HOME } = process.env;
      const ran = spawnSync(program, ['-c', script], { encoding: 'utf8', env: { PATH, HOME, PRINT } });
      expect(ran.stderr).toBe('');
      expect(JSON.parse(ran.stdout)).toEqual(HOSTILE);
    },
  );

  test('assignments: json is one object', () => {
    expect(JSON.parse(assignments(HOSTILE, 'json'))).toEqual(HOSTILE);
  });

  test('assignments: dotenv values are bare, or quoted where they must be', () => {
    const variables = { A: 'http://127.0.0.1:1', B: 'a b', C: `it's`, D: 'a\nb"c\\' };
    expect(assignments(variables, 'dotenv')).toBe(
      `A=http://127.0.0.1:1\nB='a b'\nC="it's"\nD="a\\nb\\"c\\\\"`,
    );
  });

  test('assignments: powershell doubles the one character that is special in its quotes', () => {
    expect(assignments({ A: "it's $x" }, 'powershell')).toBe(`$env:A = 'it''s $x'`);
  });
});

test.each([
  ['/usr/bin/fish', 'fish'],
  ['/bin/zsh', 'sh'],
  ['C:\\Program Files\\PowerShell\\7\\pwsh.exe', 'powershell'],
  [undefined, 'sh'],
])('shellOf: %s is %s', (path, shell) => {
  expect(shellOf(path)).toBe(shell);
});
