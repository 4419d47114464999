/** Project files in YAML. This file is loaded only where there is one: the package takes its time. */
import { LineCounter, parseDocument } from 'yaml';
import { UsageError } from '../shell/failure.ts';

/** Enough for any file that people write, too few for one that unfolds to fill the memory. */
const MOST_ALIASES = 50;

/** Throws UsageError, which tells the line and not what stands there. */
export function parseYaml(text: string, file: string): unknown {
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
    const [problem] = [...document.errors, ...document.warnings];
    if (problem) {
      const what = problem.code === 'DUPLICATE_KEY' ? 'has a member twice' : 'is not plain YAML';
      throw new UsageError(`${file} ${what}, line ${lines.linePos(problem.pos[0]).line}`);
    }
    const value: unknown = document.toJS({ maxAliasCount: MOST_ALIASES });
    return value ?? {};
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} is YAML that nests or repeats itself too much`);
  }
}
