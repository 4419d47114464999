/** JSON as indented rows, one for each line. */
import { jsonText } from '../../kernel/text/json.ts';
import type { Column, Row } from '../state/model.ts';

export const JSON_COLUMNS: readonly Column[] = [{ heading: '', grows: true }];

/** Deeper indentation is unreadable, and its size grows with the square of the depth. */
const DEEPEST = 32;
/** Longer values are cut; the copied command prints everything. */
const MOST_LINES = 5_000;

/** `same`: what is copied from each row. No value makes no rows. */
export function jsonRows(value: unknown, same: Pick<Row, 'id' | 'command' | 'call'> = {}): readonly Row[] {
  return jsonLines(value).map((line, at) => ({ ...same, key: String(at), cells: [line] }));
}

/** No value makes no lines. */
export function jsonLines(value: unknown): readonly string[] {
  if (value === null || value === undefined) return [];
  const lines = linesOf(value);
  const shown = lines.length > MOST_LINES ? lines.slice(0, MOST_LINES) : lines;
  const rest = lines.length - shown.length;
  return [...shown, ...(rest > 0 ? [`… and ${rest} more lines`] : [])];
}

function linesOf(value: unknown): readonly string[] {
  if (isDeeper(value, DEEPEST)) return ['nested too deep to be shown'];
  return jsonText(value, 2).split('\n');
}

/** Checks level by level: recursion into deep nesting would overflow the stack. */
function isDeeper(value: unknown, depth: number): boolean {
  let level: unknown[] = [value];
  for (let at = 0; level.length > 0; at++) {
    if (at > depth) return true;
    level = level.flatMap((each) =>
      typeof each === 'object' && each !== null ? (Object.values(each) as unknown[]) : [],
    );
  }
  return false;
}
