/**
 * Every pattern of the source takes a time that grows with its text and no faster (`npm run check`): regular
 * expressions, `new RegExp` of texts that stand in the same file, and the patterns of the contract's schemas.
 *
 * What the CLI and the inspector match with texts of the person who runs them may be listed below, by place: it holds
 * up nobody else. The daemon has no such place.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '../contract/registry.ts';
import { fault, patternsOf, patternsOfSchema, type Pattern } from './patterns.ts';

/** Files whose patterns are not linear, or are put together at run time, and why that harms nobody. */
const HARMLESS: Readonly<Record<string, string>> = {
  'src/cli/bank-import/columns.ts': "headings of the person's own file",
  'src/cli/bank-import/rows.ts': "cells of the person's own file",
  'src/cli/bank-import/ofx.ts': "amounts of the person's own file",
  'src/cli/bank-import/amounts.ts': "amounts of the person's own file",
  'src/cli/bank-import/dates.ts': 'put together from the date format that the person gives',
  'src/cli/bank-import/ofx-markup.ts': 'a copy of a pattern of this file, which is judged',
  'src/cli/completion/install.ts': "the shell's start-up file of the person",
  'src/cli/fixtures/check.ts': "the person's own fixtures",
  'src/cli/fixtures/env-out.ts': 'names of variables in fixtures',
  'src/cli/project/openings.ts': 'paths of the project file',
  'src/cli/project/project.ts': 'a name that was cut before',
  'src/cli/project/repeated-member.ts': 'the project file, which JSON.parse has taken',
  'src/cli/record/step-names.ts': 'words of paths',
  'src/cli/record/made-values.ts': 'put together from values that were escaped, without repetition',
  'src/cli/webhooks/signed-input.ts': 'a line that the person gives',
  'src/cli/fixtures/names.ts': "the person's own fixtures",
  'src/cli/views/api.ts': 'a line that the person gives',
  'src/client/curl.ts': 'the base URL that the person gives',
  'src/client/event-stream.ts': 'the base URL that the person gives',
  'src/client/fixtures/text.ts': "the person's own fixtures, which JSON.parse has taken",
  'src/contract/docs/curl.ts': 'paths of the contract',
  'src/contract/openapi-requests.ts': 'paths of the contract',
  'src/contract/openapi.ts': 'keys of the contract',
  'src/daemon/main.ts': "messages about the daemon's own arguments",
  'src/form/request.ts': 'the base URL that the page itself gives',
  'src/kernel/decimal.ts': 'ten digits',
  'src/tui/state/text-line.ts': 'the line that is typed',
  'src/tui/terminal.ts': 'keys that are typed',
};
const AT_A_TIME = 8;

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((name) => join('src', name).replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path) && !path.startsWith('src/devtools/'))
  .sort();
const found = files.map((path) => ({ path, ...patternsOf(path, readFileSync(path, 'utf8')) }));
const judged: Pattern[] = [
  ...found.filter(({ path }) => HARMLESS[path] === undefined).flatMap(({ patterns }) => patterns),
  ...endpoints.flatMap((endpoint) => patternsOfSchema(endpoint.key, endpoint)),
];
const distinct = [...new Map(judged.map((each) => [`${each.flags}/${each.source}`, each])).values()];
const problems = found
  .filter(({ path }) => HARMLESS[path] === undefined)
  .flatMap(({ built }) =>
    built.map((place) => `${place}: a pattern put together at run time can't be judged`),
  );
problems.push(
  ...Object.keys(HARMLESS)
    .filter((path) => !files.includes(path))
    .map((path) => `${path}: is listed as harmless and is gone`),
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
