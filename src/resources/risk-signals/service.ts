/** The risk signals of runs (contract §2.19, §4.5). */
import { unbuilt } from '../unbuilt.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import type { Severity } from '../../contract/risk-signals.ts';
import type { Database } from '../../storage/database.ts';
import type { EntityRow } from '../entities/index.ts';

export type RiskSignal = AnswerOf<'GET /users/{fp_id}/risk_signals'>[number];

export interface RiskSignals {
  /** In the write job of a run that becomes terminal; codes are of the catalogue, `at` epoch milliseconds. */
  record(
    database: Database,
    run: {
      readonly onboarding: string;
      readonly entity: number;
      readonly at: number;
      readonly codes: Iterable<string>;
    },
  ): void;
  /** By severity, high first, then in the order of the catalogue. */
  ofOnboarding(database: Database, onboarding: string): RiskSignal[];
  /** Of the latest terminal onboarding of the entity; none before. */
  latest(database: Database, entity: EntityRow): RiskSignal[];
  /** Throws `not_found` for an onboarding that is not the entity's. */
  ofEntity(database: Database, entity: EntityRow, onboarding: string): RiskSignal[];
  countBySeverity(database: Database, entity: EntityRow): Partial<Record<Severity, number>>;
}

export function createRiskSignals(): RiskSignals {
  return unbuilt<RiskSignals>({ countBySeverity: () => ({}) });
}
