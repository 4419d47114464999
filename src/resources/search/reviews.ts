/** Entities waiting for a manual review, with the waiting time and the reason (contract §11). */
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/clock.ts';
import { cursorPage, decodeCursor, encodeCursor, pageSize } from '../../kernel/cursor.ts';
import type { Database } from '../../storage/database.ts';
import type { Vault } from '../../vault/vault.ts';
import { spaceOf } from '../api-keys/index.ts';
import type { Claims } from '../claims/index.ts';
import { findEntityByRow } from '../entities/index.ts';
import { inspectedItem } from '../inspector/index.ts';
import type { RiskSignals } from '../risk-signals/index.ts';
import { listInReview, listWaiting } from './repository.ts';

/** The most serious signals are enough to choose a case. */
const SIGNALS = 3;

export function listReviews(
  {
    database,
    vault,
    signals,
    claims,
  }: { database: Database; vault: Vault; signals: RiskSignals; claims: Claims },
  query: RequestOf<'GET /_kyclone/reviews'>['query'],
): AnswerOf<'GET /_kyclone/reviews'> {
  const { space } = spaceOf(database, query);
  const among = { space, kind: query.kind };
  const size = pageSize(query.page_size);
  const [since, seq] = query.cursor === undefined ? [] : decodeCursor(query.cursor, ['number', 'number']);
  const after = since === undefined || seq === undefined ? undefined : { since, seq };
  const runs = listWaiting(database, among, { after, limit: size });
  const rows = runs.flatMap(([place, entity, onboarding_id, playbook_key, at]) => {
    const row = findEntityByRow(database, entity);
    return row ? [{ row, place, onboarding_id, playbook_key, at }] : [];
  });
  return cursorPage(rows, {
    size,
    count: listInReview(database, among).length,
    cursorOf: ({ at, place }) => encodeCursor(at, place),
    view({ row, onboarding_id, playbook_key, at }) {
      const all = signals.ofOnboarding(database, onboarding_id, row.kind);
      return {
        ...inspectedItem(database, vault, row),
        waiting_since: timestamp(at),
        onboarding_id,
        playbook_key,
        signals: all
          .slice(0, SIGNALS)
          .map(({ reason_code, note, severity }) => ({ reason_code, note, severity })),
        signal_count: all.length,
        claim: claims.of(database, row),
      };
    },
  });
}
