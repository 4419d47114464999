import type { AnswerOf } from '../contract/registry.ts';

export type Catalogue = AnswerOf<'GET /org/risk_signals'>;

/** Those of a severity, and those where each word of `search` begins a word of code, note, description or scopes. */
export function chosenEntries(
  entries: Catalogue,
  { severity, search = '' }: { severity?: string | undefined; search?: string | undefined },
): Catalogue {
  const wanted = wordsOf(search);
  return entries.filter((entry) => {
    const { reason_code: code, note, description, scopes } = entry;
    const words = wordsOf([code, note, description, ...scopes].join(' '));
    const isFound = wanted.every((start) => words.some((word) => word.startsWith(start)));
    return isFound && (severity === undefined || entry.severity === severity);
  });
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
}
