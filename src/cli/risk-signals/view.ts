import { isHitCode } from '../../contract/facts/cases.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { table } from '../shell/layout.ts';
import type { Style } from '../shell/output.ts';

type Signals = AnswerOf<'GET /users/{fp_id}/risk_signals'>;

const HEADINGS = ['SEVERITY', 'CODE', 'NOTE'];

/** Followed by `hits`, if there are any. */
export function signalListView(signals: Signals, style: Style, hits: readonly Hit[] = []): string {
  const found = table(HEADINGS, signals.map(row), style, 'No risk signals');
  return hits.length === 0 ? found : `${found}\n\n${hitListView(hits, style)}`;
}

export function catalogueView(entries: Catalogue, style: Style): string {
  return table(HEADINGS, entries.map(row), style, 'No such risk signal');
}

function row({ severity, reason_code: code, note }: Catalogue[number]): string[] {
  return [severity, code, note];
}

export type Catalogue = AnswerOf<'GET /org/risk_signals'>;

/** Entries of a severity, in whose code, note, description or scopes each word of `search` begins a word. */
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

// Hits of watchlists and adverse media.

type Hit = AnswerOf<'GET /_kyclone/entities/{fp_id}/hits'>[number];

export function hitListView(hits: readonly Hit[], style: Style): string {
  const rows = hits.map(({ reason_code, list, matched_name, score, review }) => [
    reason_code,
    list,
    matched_name,
    String(score),
    review?.decision ?? 'to be decided',
    review?.operator ?? null,
    review?.reason ?? null,
  ]);
  const headings = [
    'CODE',
    { text: 'LIST', drop: 4 },
    'MATCHED NAME',
    { text: 'SCORE', drop: 3 },
    'DECISION',
    { text: 'BY', drop: 2 },
    { text: 'REASON', drop: 1 },
  ];
  return table(headings, rows, style, 'No hits');
}

export function hitView(hit: Hit, style: Style): string {
  return hitListView([hit], style);
}

export function hasHits(signals: Signals): boolean {
  return signals.some(({ reason_code }) => isHitCode(reason_code));
}
