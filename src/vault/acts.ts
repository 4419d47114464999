/**
 * Actions on entities in the access log: who marked, unlinked, ran, decided or sent again, why and with what effect
 * (contract §11).
 */
import { ACT_OPERATIONS, type ActOperation } from '../nouns/access-log/facts.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { givenReason } from '../kernel/text/text.ts';
import type { Database } from '../storage/database.ts';
import { type AccessCall, accessEntry, type AccessSubject } from './access-entry.ts';
import { listAccessRowsBefore } from './access-log-lists-repository.ts';
import type { AccessLog } from './access-log.ts';
import { conflict } from '../kernel/errors.ts';

/** A claim changes nothing about the entity. */
const CHANGES = ACT_OPERATIONS.filter((operation) => operation !== 'claim');
const LATEST = { at: Number.MAX_SAFE_INTEGER, seq: Number.MAX_SAFE_INTEGER };
/** The latest changes are enough to look again. */
const SHOWN = 5;

interface StoredAct {
  readonly seq: number;
  readonly at: string;
  readonly operation: ActOperation;
  readonly effect: string;
  readonly operator?: string;
}

export interface Act {
  readonly operation: ActOperation;
  /** What became of it, in a few words without personal data. */
  readonly effect: string;
  /** As the caller gave it; blanks are no reason. */
  readonly reason?: string | undefined;
  readonly identifiers?: readonly string[];
}

export interface Acts {
  /**
   * Call it in the write job of the action, so that neither is stored without the other. Throws `conflict`, naming what
   * changed, when the call was prepared before another operator acted on the same entity.
   */
  record(database: Database, call: AccessCall, subject: AccessSubject, act: Act): void;
}

export function createActs({
  accessLog,
  clock,
}: {
  readonly accessLog: AccessLog;
  readonly clock: Clock;
}): Acts {
  function requireSeen(database: Database, { seen, operator }: AccessCall, { fp_id }: AccessSubject): void {
    if (seen === null || fp_id === undefined) return;
    const later = listAccessRowsBefore(database, { fp_id, operations: CHANGES }, LATEST, SHOWN)
      .filter((row) => row.seq > seen)
      .map((row) => JSON.parse(row.entry) as StoredAct)
      .map((entry) => ({ ...entry, by: accessLog.operatorOf(entry) }))
      .filter(({ by }) => by === null || by !== operator);
    if (later.length === 0) return;
    const changes = later.map(
      ({ by, operation, effect, at }) => `${by ?? 'somebody'} at ${at}: ${operation} ${effect}`,
    );
    throw conflict(`It has changed since: ${changes.join('; ')}`);
  }

  return {
    record(database, call, subject, { reason, identifiers = [], ...act }) {
      requireSeen(database, call, subject);
      const access = {
        ...act,
        identifiers,
        outcome: 'granted',
        reason: givenReason(reason) ?? null,
      } as const;
      accessLog.append(database, accessEntry(call, subject, { ...access, at: clock.now() }));
    },
  };
}
