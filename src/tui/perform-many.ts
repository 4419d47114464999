/** Performs one action for many rows, one after another. A failure of one doesn't stop the others. */
import { actions } from './actions/registry.ts';
import type { Values } from './actions/definition.ts';
import type { Source } from './data/source.ts';
import { nameOf } from './state/acting.ts';
import type { ActionName, Marked, Result } from './state/model.ts';
import { inWords } from './words.ts';

interface Many {
  readonly marked: readonly Marked[];
  readonly values: Values;
  /** Reports the progress. */
  readonly report: (text: string) => void;
}

/** The result for each row, in the order of the rows. Never rejects. */
export async function performForMany(
  source: Source,
  action: ActionName,
  { marked, values, report }: Many,
): Promise<readonly Result[]> {
  const doing = actions[action];
  const results: Result[] = [];
  for (const each of marked) {
    if (marked.length > 1) report(`${doing.label}, ${results.length + 1} of ${marked.length}`);
    results.push({ key: each.key, ...(await one(each)) });
  }
  return results;

  async function one(each: Marked): Promise<Omit<Result, 'key'>> {
    const name = nameOf(each);
    try {
      const outcome = await doing.perform(source, each.subject, values);
      if (outcome.kind !== 'done') return { isDone: true, text: name };
      const { tone, text } = outcome.notice;
      return { isDone: tone === 'good', text: `${name}: ${text}` };
    } catch (error) {
      return { isDone: false, text: `${name}: ${inWords(error)}` };
    }
  }
}
