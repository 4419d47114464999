/**
 * Checks that every pattern of the source matches in linear time (`npm run check`). Covers regular expressions, `new
 * RegExp` with text that is fixed by the file and the constants it imports, and the patterns in the contract's
 * schemas.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '../contract/registry.ts';
import { fault, patternsOf, patternsOfSchema, type Pattern } from './patterns.ts';

/**
 * Files with patterns that the tool can't judge, or judges inconsistently, with the reason why each is linear or
 * harmless.
 */
const EXCUSED: Readonly<Record<string, string>> = {
  'src/cli/bank/import/cells.ts':
    'built from the parts of a date format: each occurs once, with a fixed number of digits',
  'src/cli/record/to-fixture.ts': 'built as an alternation of escaped values, without repetition',
  'src/cli/fixtures/run.ts': "names of variables in the person's own fixtures",
  'src/kernel/ids.ts': 'built from three fixed prefixes and one repeated class of characters',
  'src/tui/mount.tsx': 'keys that are typed',
};
const AT_A_TIME = 8;

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((name) => join('src', name).replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path) && !path.startsWith('src/devtools/'))
  .sort();
const found = await Promise.all(
  files.map(async (path) => ({ path, ...(await patternsOf(path, readFileSync(path, 'utf8'))) })),
);
const judged: Pattern[] = [
  ...found.filter(({ path }) => EXCUSED[path] === undefined).flatMap(({ patterns }) => patterns),
  ...endpoints.flatMap((endpoint) => patternsOfSchema(endpoint.key, endpoint)),
];
const distinct = [...new Map(judged.map((each) => [`${each.flags}/${each.source}`, each])).values()];
const problems = found
  .filter(({ path }) => EXCUSED[path] === undefined)
  .flatMap(({ built }) => built.map((place) => `${place}: a pattern built at run time can't be judged`));
problems.push(
  ...Object.keys(EXCUSED)
    .filter((path) => !files.includes(path))
    .map((path) => `${path}: is in EXCUSED but no longer exists`),
);

async function judgeSome(): Promise<void> {
  for (let next = distinct.pop(); next !== undefined; next = distinct.pop()) {
    const why = await fault(next);
    if (why !== undefined) problems.push(`${next.place}: /${next.source}/${next.flags}: ${why}`);
  }
}

const count = distinct.length;
await Promise.all(Array.from({ length: AT_A_TIME }, judgeSome));
process.stderr.write(
  problems.length === 0 ? `${count} patterns match in linear time\n` : `${problems.join('\n')}\n`,
);
process.exit(problems.length === 0 ? 0 : 1);
