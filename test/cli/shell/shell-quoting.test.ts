import '../../support/tier-all.ts';
import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { shWord } from '../../../src/kernel/text/shell-word.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { assignments, shellOf } from '../../../src/cli/shell/shell-quoting.ts';

const HOSTILE = {
  V1: `it's "quoted" $HOME \`id\` \\ back\\'slash`,
  V2: 'http://127.0.0.1:4630/?a=b&c=d#e',
  V3: 'two\nlines',
  V4: '',
};

const PRINT_NAMED = `process.stdout.write(JSON.stringify(Object.fromEntries(Object.entries(process.env).filter(([n]) => /^V[0-9]+$/.test(n)))))`;

const isThere = (program: string) => spawnSync(program, ['-c', 'exit 0']).status === 0;

describe('assignments', () => {
  // What the other shells make of it is under sourcing.
  test.runIf(isThere('pwsh'))('assignments: pwsh sets exactly these values', () => {
    const script = `${assignments(HOSTILE, 'powershell')}\n& '${process.execPath}' -e $env:PRINT_NAMED`;
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, PRINT_NAMED };
    const ran = spawnSync('pwsh', ['-c', script], { encoding: 'utf8', env });
    expect(ran.stderr).toBe('');
    expect(JSON.parse(ran.stdout)).toEqual(HOSTILE);
  });

  test('assignments: json is one object', () => {
    expect(JSON.parse(assignments(HOSTILE, 'json'))).toEqual(HOSTILE);
  });

  test('assignments: dotenv values are bare, or quoted where they must be', () => {
    const variables = { A: 'http://127.0.0.1:1', B: 'a b', C: `it's`, D: 'a\nb"c', E: '=ls' };
    expect(assignments(variables, 'dotenv')).toBe(
      `A=http://127.0.0.1:1\nB='a b'\nC="it's"\nD='a\nb"c'\nE='=ls'`,
    );
  });

  test('assignments: powershell doubles every character that ends a text there (typographic quotes ended it)', () => {
    expect(assignments({ A: "it's $x" }, 'powershell')).toBe(`$env:A = 'it''s $x'`);
    const text = 'a\u2018b\u2019c\u201ad\u201be';
    const [, quoted = ''] = /^\$env:A = '(.*)'$/s.exec(assignments({ A: text }, 'powershell')) ?? [];
    expect(quoted.match(/['\u2018-\u201b]+/g)).toEqual([
      '\u2018\u2018',
      '\u2019\u2019',
      '\u201a\u201a',
      '\u201b\u201b',
    ]);
    expect(quoted.replaceAll(/(['\u2018-\u201b])\1/g, '$1')).toBe(text);
  });

  test('assignments: what no shell has as a variable is no line', () => {
    expect(() => assignments({ 'A;id': 'x' }, 'sh')).toThrow();
    expect(() => assignments({ A: 'a\0b' }, 'dotenv')).toThrow();
  });
});

/**
 * Pairs and longer mixes of characters that are special to some shell, many of them around a command that would create
 * a file.
 */
const PIECES = ["'", '"', '`', '$', '\\', '\n', '\r', '!', '=', '~', '#', ';', '(', '\u2019', ' '];
const COMMANDS = ['touch HIT', '$(touch HIT)', '`touch HIT`', ';touch HIT;', '${x:-$(touch HIT)}'];
const TEXTS = [
  ...PIECES.flatMap((one) =>
    PIECES.flatMap((two) => COMMANDS.map((command) => one + two + command + two + one)),
  ),
  ...PIECES.flatMap((one) => PIECES.map((two) => one + two)),
  '=ls',
  'a:=ls',
  '~root',
  "it's \\",
  ...Object.values(HOSTILE),
];
const NAMED = Object.fromEntries(TEXTS.map((text, index) => [`V${index}`, text]));

describe('sourcing', () => {
  test.each(
    ['sh', 'dash', 'bash', 'zsh', 'fish'].filter(
      (program) => process.env['CI'] !== undefined || isThere(program),
    ),
  )(
    'assignments: %s runs nothing of the lines that it sources, of dotenv lines neither, and sets exactly the values',
    (program) => {
      using folder = tempDir();
      for (const shell of program === 'fish' ? (['fish'] as const) : (['sh', 'dotenv'] as const)) {
        const file = join(folder.path, shell);
        writeFileSync(file, `${assignments(NAMED, shell)}\n`);
        const script = `${program === 'fish' ? '' : 'set -a; '}. ${file}; exec '${process.execPath}' -e "$PRINT_NAMED"`;
        const { PATH, HOME } = process.env;
        const ran = spawnSync(program, ['-c', script], {
          encoding: 'utf8',
          cwd: folder.path,
          env: { PATH, HOME, LC_ALL: 'C.UTF-8', PRINT_NAMED },
        });
        expect(ran.stderr).toBe('');
        expect(JSON.parse(ran.stdout)).toEqual(NAMED);
        expect(readdirSync(folder.path)).not.toContain('HIT');
      }
    },
  );

  test('assignments: fish runs nothing of dotenv lines, which it does not understand', () => {
    if (!isThere('fish') && process.env['CI'] === undefined) return;
    using folder = tempDir();
    writeFileSync(join(folder.path, 'env'), `${assignments(NAMED, 'dotenv')}\n`);
    spawnSync('fish', ['-c', '. ./env'], { cwd: folder.path });
    expect(readdirSync(folder.path)).toEqual(['env']);
  });

  test('assignments: a dotenv parser reads every value that both kinds of reader can have', () => {
    const common = Object.entries(NAMED).filter(
      ([, text]) => !text.includes('\r') && !(/['\\]/.test(text) && /[$"`\\]/.test(text)),
    );
    expect(common.length).toBeGreaterThan(500);
    expect(parseEnv(assignments(Object.fromEntries(common), 'dotenv'))).toEqual(Object.fromEntries(common));
  });

  test('shWord: a word is the text and nothing else, in sh, bash and zsh', () => {
    for (const program of ['sh', 'bash', 'zsh'].filter(isThere)) {
      const texts = TEXTS.filter((text) => text !== '');
      const words = texts.map(shWord);
      const script = `'${process.execPath}' -e 'process.stdout.write(JSON.stringify(process.argv.slice(1)))' -- ${words.join(' ')}`;
      const ran = spawnSync(program, ['-c', script], { encoding: 'utf8' });
      expect(JSON.parse(ran.stdout)).toEqual(texts);
    }
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
