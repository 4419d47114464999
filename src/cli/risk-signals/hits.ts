/** Hits of watchlists and adverse media: shared types and views. */
import { isHitCode } from '../../contract/facts/cases.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { table } from '../shell/layout.ts';
import type { Style } from '../shell/output.ts';

export type Hit = AnswerOf<'GET /_kyclone/entities/{fp_id}/hits'>[number];
type Signals = AnswerOf<'GET /users/{fp_id}/risk_signals'>;

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
