/**
 * Every pattern of the source takes a time that grows with its text and no faster (`npm run check`): regular
 * expressions, `new RegExp` of texts that stand in the same file, and the patterns of the contract's schemas.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '../contract/registry.ts';
import { fault, patternsOf, patternsOfSchema, type Pattern } from './patterns.ts';

/** Files that put a pattern together at run time, and why that one is linear, too. Their other patterns are judged. */
const BUILT: Readonly<Record<string, string>> = {
  'src/cli/bank-import/dates.ts':
    'the parts of a date format, each once: words, digits of a fixed number, escaped text',
  'src/cli/record/made-values.ts': 'one of some escaped values, without repetition',
};
const AT_A_TIME = 8;

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((name) => join('src', name).replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path) && !path.startsWith('src/devtools/'))
  .sort();
const found = files.map((path) => ({ path, ...patternsOf(path, readFileSync(path, 'utf8')) }));
const judged: Pattern[] = [
  ...found.flatMap(({ patterns }) => patterns),
  ...endpoints.flatMap((endpoint) => patternsOfSchema(endpoint.key, endpoint)),
];
const distinct = [...new Map(judged.map((each) => [`${each.flags}/${each.source}`, each])).values()];
const problems = found
  .filter(({ path }) => BUILT[path] === undefined)
  .flatMap(({ built }) =>
    built.map((place) => `${place}: a pattern put together at run time can't be judged`),
  );
problems.push(
  ...Object.keys(BUILT)
    .filter((path) => found.every((file) => file.path !== path || file.built.length === 0))
    .map((path) => `${path}: is listed and puts no pattern together`),
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
