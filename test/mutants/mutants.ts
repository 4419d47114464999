/**
 * `npm run mutants`: breaks the program in one place at a time (test/mutants/list.ts) and shows which test fails. It
 * works in a temporary copy, so the tree itself never changes.
 *
 *   --tier test|all   the command that must catch the breaks: npm test, or npm run test:all (default)
 *   --only N|TEXT     only these breaks: a number, or a part of the path or of the description; may be repeated
 *   --list            print the breaks and end
 *   --json            print the results as JSON
 *
 * The tests that the list names run first, then those of the folder with the same name, then the whole tier, each until
 * the first failure. A failing test counts only if it passes in the unbroken tree. Ends with 1 when a break survives or
 * can't be made.
 */
import '../../src/devtools/gone-reader.ts';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startStopwatch } from '../../src/kernel/time/real-time.ts';
import { endForOption, OptionError, scriptOptions } from '../../src/devtools/script-options.ts';
import { broken, BREAKS, countOf, ROOT, type Break } from './list.ts';
import { copyTree, NoBaselineError, type Run } from './tree-copy.ts';

/** The commands of package.json. They decide what a tier contains. */
const SCRIPTS = { test: 'test', all: 'test:all' } as const;

interface Verdict {
  readonly verdict: 'caught' | 'hung' | 'survived' | 'stale' | 'unbuildable';
  /** The test that failed, or what hung. */
  readonly by?: string;
  /** The title of the failing test, or the reason why there is no break. */
  readonly detail?: string;
}

type Numbered = Break & { readonly number: number };

const say = (text: string) => void process.stdout.write(`${text}\n`);

function readOptions() {
  const { tier, only, list, json } = scriptOptions('mutants', {
    tier: { type: 'string', default: 'all' },
    only: { type: 'string', multiple: true },
    list: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  });
  if (tier !== 'test' && tier !== 'all') throw new OptionError(`--tier ${tier}: give test or all`);
  const all: Numbered[] = BREAKS.map((each, index) => ({ ...each, number: index + 1 }));
  const isMeant = ({ number, file, breaks }: Numbered, text: string) =>
    /^\d+$/.test(text) ? number === Number(text) : file.includes(text) || breaks.includes(text);
  const unknown = only?.find((text) => !all.some((each) => isMeant(each, text)));
  if (unknown !== undefined)
    throw new OptionError(`--only ${unknown}: no break has this number or text; --list prints them`);
  const chosen = all.filter((each) => !only || only.some((text) => isMeant(each, text)));
  return { tier, chosen, list, json } as const;
}

/** The tests to try, the likeliest first. An empty list is the whole tier. */
function stagesOf({ file, tests = [] }: Break): (readonly string[])[] {
  const folders: string[][] = [];
  for (let folder = dirname(file).replace(/^src/, 'test'); folder !== 'test'; folder = dirname(folder)) {
    if (existsSync(join(ROOT, folder))) folders.push([`${folder}/`]);
  }
  return [...(tests.length > 0 ? [tests] : []), ...folders, []];
}

/** `passing`: files that pass in the unbroken tree. */
async function tryBreak(
  tree: ReturnType<typeof copyTree>,
  each: Break,
  passing: Set<string>,
): Promise<Verdict> {
  const path = tree.pathOf(each.file);
  const unbroken = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const count = countOf(unbroken, each.find);
  if (count !== 1) return { verdict: 'stale', detail: `the text is ${count} times in the file` };
  const restore = () => {
    writeFileSync(path, unbroken);
    tree.restoreBuilt();
  };
  const breakIt = async () => {
    writeFileSync(path, broken(each, unbroken));
    return await tree.build();
  };
  try {
    if (!(await breakIt())) return { verdict: 'unbuildable', detail: 'npm run build fails' };
    for (const stage of stagesOf(each)) {
      let run = await tree.test(stage);
      while (run.end === 'failed') {
        const { file: by, title: detail } = run;
        if (!passing.has(by)) {
          restore();
          if ((await tree.test([by])).end === 'passed') passing.add(by);
        }
        if (passing.has(by)) return { verdict: 'caught', by, detail };
        // It fails in any case, so it shows nothing.
        rmSync(tree.pathOf(by));
        await breakIt();
        run = await tree.test(stage);
      }
      if (run.end === 'hung') return { verdict: 'hung', by: stage.join(' ') || 'the whole tier' };
    }
    return { verdict: 'survived' };
  } finally {
    restore();
  }
}

const isCaught = ({ verdict }: Verdict) => verdict === 'caught' || verdict === 'hung';

function lineOf({
  number,
  file,
  breaks,
  verdict,
  by,
  detail,
  seconds,
}: Numbered & Verdict & { seconds: number }) {
  const word = { caught: 'caught', hung: 'caught (hung)' }[verdict as string] ?? verdict.toUpperCase();
  const how = [by, detail].filter((text) => text !== undefined).join(': ');
  return `${String(number).padStart(2)}  ${word} in ${seconds} s: ${file}: ${breaks}${how && `\n      ${how}`}`;
}

async function mutants(): Promise<number> {
  const { tier, chosen, list, json } = readOptions();
  if (list) {
    for (const { number, file, breaks } of chosen) say(`${String(number).padStart(2)}  ${file}: ${breaks}`);
    return 0;
  }
  const show = (text: string) => {
    if (!json) say(text);
  };
  const secondsOf = (elapsed: () => number) => Math.round(elapsed() / 1000);
  const elapsed = startStopwatch();
  const tree = copyTree(SCRIPTS[tier]);
  try {
    if (!(await tree.build())) throw new NoBaselineError('The unbroken tree does not build');
    tree.keepBuilt();
    const passing = new Set(chosen.flatMap(({ tests = [] }) => tests));
    const run: Run = passing.size > 0 ? await tree.test([...passing]) : { end: 'passed' };
    if (run.end !== 'passed') {
      const what = run.end === 'failed' ? `${run.file}: ${run.title}` : 'they hang';
      throw new NoBaselineError(`Unbroken, the named tests do not pass: ${what}`);
    }
    show(`Unbroken, the ${passing.size} named test files pass (${secondsOf(elapsed)} s)`);
    const results = [];
    for (const each of chosen) {
      const since = startStopwatch();
      const verdict = await tryBreak(tree, each, passing);
      const result = { ...each, ...verdict, seconds: secondsOf(since) };
      results.push(result);
      show(lineOf(result));
    }
    const caught = results.filter(isCaught).length;
    const isOk = caught === results.length;
    const seconds = secondsOf(elapsed);
    show(`${caught} of ${results.length} breaks are caught by npm run ${SCRIPTS[tier]} (${seconds} s)`);
    if (json) say(JSON.stringify({ tier, ok: isOk, seconds, results }, undefined, 2));
    return isOk ? 0 : 1;
  } finally {
    tree.remove();
  }
}

try {
  process.exitCode = await mutants();
} catch (error) {
  if (error instanceof NoBaselineError) {
    process.stderr.write(`mutants: ${error.message}\n`);
    process.exitCode = 1;
  } else endForOption('mutants', error);
}
