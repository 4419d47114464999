import type { AnswerOf } from '../contract/registry.ts';

export type Catalogue = AnswerOf<'GET /org/risk_signals'>;

/** Those of a severity, or those in which every word of `search` occurs: in code, note, description or scopes. */
export function chosenEntries(
  entries: Catalogue,
  { severity, search = '' }: { severity?: string | undefined; search?: string | undefined },
): Catalogue {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter((entry) => {
    const { reason_code: code, note, description, scopes } = entry;
    const text = [code, note, description, ...scopes].join(' ').toLowerCase();
    return (
      (severity === undefined || entry.severity === severity) && words.every((word) => text.includes(word))
    );
  });
}
