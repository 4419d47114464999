/** What the access log has of an entity, as entries of its timeline: reads, and actions (contract §11). */
import { ACT_OPERATIONS, type ActOperation } from '../../contract/facts/access-log.ts';
import type { Database } from '../../storage/database.ts';
import { countAccesses, listAccessRowsBefore } from '../../vault/access-log-lists-repository.ts';
import type { AccessLog } from '../../vault/access-log.ts';
import type { EntityRow } from '../entities/index.ts';
import { accessEntryView } from './access-log.ts';

/** An entry of a timeline. `seq` orders entries of the same kind and time. */
export interface Occurrence {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly seq: number;
  readonly id?: string | null;
  readonly title: string;
  readonly by?: string | null;
  readonly reason?: string | null;
  readonly details?: readonly string[];
}

interface Place {
  readonly at: number;
  readonly seq: number;
}

/** The entries of one kind. */
export interface TimelineSource {
  /** The newest entries before the place, in any order. */
  before(place: Place, limit: number): readonly Occurrence[];
  count(): number;
}

interface LogContext {
  readonly database: Database;
  readonly accessLog: AccessLog;
}

/** Accesses that show no value have titles of their own. */
const COMPARED: Readonly<Partial<Record<string, string>>> = {
  verify: 'Checked a stated value',
  compare: 'Compared with another entity',
};

export function reads({ database, accessLog }: LogContext, { fp_id }: EntityRow): TimelineSource {
  const accesses = { fp_id, operations: ACT_OPERATIONS, isOther: true };
  return {
    before: (place, limit) =>
      listAccessRowsBefore(database, accesses, place, limit).map((row) => {
        const entry = accessEntryView(row, accessLog);
        const { operation, outcome, actor, operator, identifiers } = entry;
        return {
          at: Date.parse(entry.at),
          seq: entry.seq,
          id: entry.request_id,
          reason: entry.reason,
          title:
            outcome === 'granted' ? (COMPARED[operation] ?? `Read: ${operation}`) : `Refused: ${operation}`,
          by: operator ?? `${actor.kind} ${actor.id}`,
          details: identifiers,
        };
      }),
    count: () => countAccesses(database, accesses),
  };
}

/** Actions that the timeline doesn't have from their own records: those of decisions name operator and reason. */
const ACTS: Readonly<Record<Exclude<ActOperation, 'decide' | 'review_hit'>, string>> = {
  label: 'Label',
  tag: 'Tag',
  owner: 'Owner',
  note: 'Note',
  resend: 'Sent again',
  run: 'Run by choice',
  resolve: 'Outcome set',
  claim: 'Case',
};

export function acts({ database, accessLog }: LogContext, { fp_id }: EntityRow): TimelineSource {
  const operations = Object.keys(ACTS) as (keyof typeof ACTS)[];
  const accesses = { fp_id, operations };
  return {
    before: (place, limit) =>
      listAccessRowsBefore(database, accesses, place, limit).map((row) => {
        const entry = accessEntryView(row, accessLog);
        const { actor, operator, reason, effect } = entry;
        const named = operations.find((each) => each === entry.operation);
        return {
          at: Date.parse(entry.at),
          seq: entry.seq,
          id: entry.request_id,
          title: `${named === undefined ? entry.operation : ACTS[named]}: ${effect ?? ''}`,
          by: operator ?? `${actor.kind} ${actor.id}`,
          reason,
        };
      }),
    count: () => countAccesses(database, accesses),
  };
}
