/**
 * Paths into a result: `id`, `data[].id`, `data[0].kind`, `vault["id.first_name"]`. A name with dots that is a member as
 * it stands may be written without quotes: `id.first_name`.
 */
import { UsageError } from '../failure.ts';

export type Step =
  | { readonly kind: 'member'; readonly name: string; readonly isQuoted: boolean }
  | { readonly kind: 'entry'; readonly index: number }
  | { readonly kind: 'each' };
export type Path = readonly Step[];

const TOKEN = /\.?([^.[\]"\s]+)|\[(\d+)\]|(\[\])|\[("(?:[^"\\]|\\.)*")\]/y;

/** Throws UsageError, which doesn't repeat what was typed. */
export function parsePath(text: string): Path {
  const path: Step[] = [];
  let at = 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    const isJoined = at === 0 || text[at] === '.' || text[at] === '[';
    if (match === null || !isJoined) throw notAPath();
    at = TOKEN.lastIndex;
    path.push(stepOf(match));
  }
  if (path.length === 0) throw notAPath();
  return path;
}

function stepOf([, name, index, each, quoted]: RegExpExecArray): Step {
  if (name !== undefined) return { kind: 'member', name, isQuoted: false };
  if (index !== undefined) return { kind: 'entry', index: Number(index) };
  if (each !== undefined) return { kind: 'each' };
  try {
    return { kind: 'member', name: JSON.parse(quoted ?? '') as string, isQuoted: true };
  } catch {
    throw notAPath();
  }
}

function notAPath(): UsageError {
  return new UsageError(
    '--field takes a path into the result',
    `such as id, data[].id, data[0].kind or vault["id.first_name"]`,
  );
}
