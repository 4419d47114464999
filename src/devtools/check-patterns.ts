/**
 * Every pattern of the source takes a time that grows with its text and no faster (`npm run check`): regular
 * expressions, `new RegExp` of texts that the file and the constants it imports fix, and the patterns of the contract's
 * schemas.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '../contract/registry.ts';
import { fault, patternsOf, patternsOfSchema, type Pattern } from './patterns.ts';

/**
 * Files with a pattern that the tool can't judge, or judges one way or the other, and why it is linear or harms
 * nobody.
 */
const EXCUSED: Readonly<Record<string, string>> = {
  'src/cli/bank/import/cells.ts':
    'put together: the parts of a date format, each once, digits of a fixed number',
  'src/cli/record/masking.ts': 'put together: one of some escaped values, without repetition',
  'src/cli/fixtures/run.ts': "names of variables in the person's own fixtures",
  'src/tui/terminal.ts': 'keys that are typed',
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
  .flatMap(({ built }) =>
    built.map((place) => `${place}: a pattern put together at run time can't be judged`),
  );
problems.push(
  ...Object.keys(EXCUSED)
    .filter((path) => !files.includes(path))
    .map((path) => `${path}: is excused and is gone`),
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
  problems.length === 0
    ? `${count} patterns take a time that grows with their text and no faster\n`
    : `${problems.join('\n')}\n`,
);
process.exit(problems.length === 0 ? 0 : 1);
