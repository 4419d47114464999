/** Decisions about entities, by playbooks and by hand (contract §2.18, §4.4). */
import { unbuilt } from '../unbuilt.ts';
import type { DecisionStatus } from '../../contract/decisions.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import type { Database } from '../../storage/database.ts';
import type { PrivateValues } from '../../vault/private-values.ts';
import type { EntityRow } from '../entities/index.ts';

export type Decision = AnswerOf<'GET /users/{fp_id}/decisions'>['data'][number];

export interface NewDecision {
  /** Row id of the entity. */
  readonly entity: number;
  readonly kind: Decision['kind'];
  readonly status: DecisionStatus;
  readonly playbook_key: string | null;
  readonly annotation: string | null;
  readonly reviewer_email: string | null;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface Decisions {
  /** In a write job. */
  record(database: Database, decision: NewDecision): void;
  list(
    database: Database,
    entity: EntityRow,
    query: RequestOf<'GET /users/{fp_id}/decisions'>['query'],
  ): AnswerOf<'GET /users/{fp_id}/decisions'>;
  /** All of them, newest first. */
  all(database: Database, entity: EntityRow): Decision[];
  latest(database: Database, entity: EntityRow): Decision | undefined;
}

export function createDecisions(_context: { privateValues: PrivateValues }): Decisions {
  return unbuilt<Decisions>({ all: () => [] });
}
