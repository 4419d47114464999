/** The scripts of package.json: what they say of a wrong option, and how they end when their reader is gone. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';
import '../support/tier-all.ts';

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const files = Object.values(scripts).flatMap((script) =>
  [...script.matchAll(/\btsx (\S+)/g)].map(([, path = '']) => path),
);

test.each([...new Set(files)].filter((path) => path !== 'src/devtools/build.ts'))(
  '%s: prints for a reader that may go',
  (path) => {
    expect(readFileSync(join(ROOT, path), 'utf8')).toMatch(/import '.*\/gone-reader\.ts';/);
  },
);

test('npm run torture -- --list | head: ends without a stack', () => {
  const script = 'sleep 0.1; node --import tsx test/torture/torture.ts --list | true';
  const { stderr } = spawnSync('sh', ['-c', script], { cwd: ROOT, encoding: 'utf8' });
  expect(stderr).toBe('');
});

test.each([
  [
    'torture',
    ['--onyl', 'R1'],
    "Unknown option '--onyl': npm run torture takes --minutes VALUE, --only VALUE",
  ],
  ['torture', ['--minutes', 'two'], '--minutes two: give a number above 0'],
  ['mutants', ['--only', '999'], '--only 999: no break has this number or text; --list prints them'],
  ['mutants', ['7'], "Unexpected argument '7': npm run mutants takes --tier VALUE, --only VALUE"],
  ['measure', ['--lst'], "Unknown option '--lst': npm run measure takes --json, --list"],
  ['generate', ['--chekc'], "Unknown option '--chekc': npm run generate takes --check"],
  ['bench', ['--sizes', '5'], '--sizes is for --only many'],
])('npm run %s -- %j: is refused with what is accepted', (script, argv, message) => {
  const path = /\btsx (\S+)/.exec(scripts[script] ?? '')?.[1] ?? '';
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', path, ...argv], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(`${script}: ${message}`);
  expect(stderr.split('\n')).toHaveLength(2);
});
