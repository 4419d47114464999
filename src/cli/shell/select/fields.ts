/** The text of `--field`: one value as it is, a line for each of a list, columns with tabs for several paths. */
import { EXIT } from '../exit-codes.ts';
import { CliError } from '../failure.ts';
import { valuesAt } from './members.ts';
import type { Path } from './path.ts';

/** Throws CliError for a path that leads nowhere. */
export function fieldLines(result: unknown, paths: readonly Path[]): string[] {
  const columns = paths.map((path) => {
    const values = valuesAt(result, path);
    const isOne = !path.some(({ kind }) => kind === 'each');
    const [only] = values;
    return isOne && Array.isArray(only) ? { isOne: false, values: only as unknown[] } : { isOne, values };
  });
  const [first] = columns;
  // A text that stands alone is told as it is, line ends too; in lines and columns they would break the form.
  if (columns.length === 1 && first?.isOne === true) return [cell(first.values[0])];
  const lists = columns.filter(({ isOne }) => !isOne);
  const length = lists[0]?.values.length ?? 1;
  if (lists.some(({ values }) => values.length !== length)) {
    throw new CliError('The fields are of lists of different lengths; ask for them one at a time', {
      code: 'field_unknown',
      exitCode: EXIT.failed,
    });
  }
  return Array.from({ length }, (_, row) =>
    columns.map(({ isOne, values }) => inLine(cell(values[isOne ? 0 : row]))).join('\t'),
  );
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function inLine(text: string): string {
  return text.replace(/[\t\n\r]/g, (character) => ESCAPES[character] ?? character);
}
