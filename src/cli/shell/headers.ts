/** Headers that are given to a command: as they stand on its command line, in a file, or on stdin. */
import { UsageError } from './failure.ts';
import type { InputSource } from './input.ts';

export type Header = readonly [name: string, value: string];

/** Ends a sentence of help about `-H`. */
export const HEADER_SOURCES = '@FILE takes one from each line of a file, @- from stdin; repeatable';

/** Where one of these takes stdin. */
export const readsStdin = (texts: readonly string[] | undefined): boolean => texts?.includes('@-') ?? false;

/**
 * Every header that `-H` names, a text each: itself, or the lines of `@FILE` and of `@-`, as curl takes them. Throws
 * UsageError, which repeats nothing of what it read.
 */
export async function headerTexts(
  given: readonly string[] | undefined,
  input: Pick<InputSource, 'file' | 'stdin'>,
): Promise<string[]> {
  const texts: string[] = [];
  for (const text of given ?? []) {
    if (text === '@-') texts.push(...headerLines(await input.stdin()));
    else if (text.startsWith('@')) texts.push(...headerLines(input.file(text.slice(1))));
    else texts.push(text);
  }
  return texts;
}

/** Lines of `name: value`, as a recording of a request has them: a request line may stand above. */
export function headerLines(text: string): string[] {
  const lines = text.split(/\r?\n/);
  const isHead = /^[A-Z]+ \S+ HTTP\/\d/.test(lines[0] ?? '');
  return lines
    .slice(isHead ? 1 : 0)
    .map((line) => line.replace(/^[<>] /, ''))
    .filter((line) => line.trim() !== '');
}

/** `Name: value`. Throws UsageError, which doesn't repeat it. */
export function parseHeader(text: string): Header {
  const match = /^([!#$%&'*+.^_`|~\w-]+):([^\r\n\0]*)$/.exec(text);
  if (match?.[1] === undefined) throw new UsageError('-H takes "Name: value", @FILE or @-');
  return [match[1], (match[2] ?? '').replace(/^[ \t]+/, '')];
}

/** Headers by their names in lower case; the last one of a name counts. Throws UsageError. */
export function parseHeaders(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(texts.map(parseHeader).map(([name, value]) => [name.toLowerCase(), value]));
}
