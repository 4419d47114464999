/**
 * Actions on entities in the access log: who marked, unlinked, ran, decided or sent again, why and with what effect
 * (contract §11).
 */
import type { ActOperation } from '../contract/facts/access-log.ts';
import type { Clock } from '../kernel/clock.ts';
import { givenReason } from '../kernel/reason.ts';
import type { Database } from '../storage/database.ts';
import { type AccessCall, accessEntry, type AccessSubject } from './access-entry.ts';
import type { AccessLog } from './access-log.ts';

export interface Act {
  readonly operation: ActOperation;
  /** What became of it, in a few words without personal data. */
  readonly effect: string;
  /** As the caller gave it; blanks are no reason. */
  readonly reason?: string | undefined;
  readonly identifiers?: readonly string[];
}

export interface Acts {
  /** Call it in the write job of the action, so that neither is stored without the other. */
  record(database: Database, call: AccessCall, subject: AccessSubject, act: Act): void;
}

export function createActs({ accessLog, clock }: { accessLog: AccessLog; clock: Clock }): Acts {
  return {
    record(database, call, subject, { reason, identifiers = [], ...act }) {
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
