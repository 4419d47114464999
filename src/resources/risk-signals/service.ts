/** The risk signals of runs (contract §2.19, §4.5). */
import type { AnswerOf } from '../../contract/registry.ts';
import { SEVERITIES, type Severity } from '../../contract/risk-signals.ts';
import { timestamp } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/database.ts';
import type { EntityRow } from '../entities/index.ts';
import { catalogued } from './catalogue.ts';
import { findLatestFinished, insertSignals, isOnboardingOf, listSignals } from './repository.ts';

export type RiskSignal = AnswerOf<'GET /users/{fp_id}/risk_signals'>[number];

export interface RiskSignals {
  /**
   * Call it in the write job in which a run becomes terminal; codes must be in the catalogue, `at` is in epoch
   * milliseconds.
   */
  record(
    database: Database,
    run: {
      readonly onboarding: string;
      readonly entity: number;
      readonly at: number;
      readonly codes: Iterable<string>;
    },
  ): void;
  /**
   * By severity, high first, then in the order of the catalogue. Signals of a user only have user scopes, even if the
   * catalogue's entry has business scopes as well.
   */
  ofOnboarding(database: Database, onboarding: string, kind: EntityRow['kind']): RiskSignal[];
  /** The signals of the latest terminal onboarding of the entity; empty without one. */
  latest(database: Database, entity: EntityRow): RiskSignal[];
  /** The id of that onboarding; undefined without one. */
  latestRun(database: Database, entity: EntityRow): string | undefined;
  /** Throws `not_found` for an onboarding of another entity. */
  ofEntity(database: Database, entity: EntityRow, onboarding: string): RiskSignal[];
  /** Counts the signals that `latest` returns; severities without any are absent. */
  countBySeverity(database: Database, entity: EntityRow): Partial<Record<Severity, number>>;
}

export function createRiskSignals(): RiskSignals {
  const signals: RiskSignals = {
    record(database, { onboarding, entity, at, codes }) {
      const rows = [...new Set(codes)].map((code) => {
        const { reason_code } = catalogued(code).entry;
        return { onboarding, entity, reason_code, created_at: at };
      });
      insertSignals(database, rows);
    },

    ofOnboarding: (database, onboarding, kind) =>
      listSignals(database, onboarding)
        .map((row) => ({ ...catalogued(row.reason_code), at: row.created_at }))
        .sort((one, other) => rank(other.entry) - rank(one.entry) || one.place - other.place)
        .map(({ entry, at }) => ({
          ...entry,
          scopes: scopesFor(kind, entry.scopes),
          timestamp: timestamp(at),
        })),

    latestRun: (database, entity) => findLatestFinished(database, entity.id),

    latest(database, entity) {
      const onboarding = signals.latestRun(database, entity);
      return onboarding === undefined ? [] : signals.ofOnboarding(database, onboarding, entity.kind);
    },

    ofEntity(database, entity, onboarding) {
      if (!isOnboardingOf(database, { id: onboarding, entity: entity.id })) {
        throw new ServiceError('not_found', `This ${entity.kind} has no onboarding of this id`);
      }
      return signals.ofOnboarding(database, onboarding, entity.kind);
    },

    countBySeverity(database, entity) {
      const counts: Partial<Record<Severity, number>> = {};
      for (const { severity } of signals.latest(database, entity)) {
        counts[severity] = (counts[severity] ?? 0) + 1;
      }
      return counts;
    },
  };
  return signals;
}

function scopesFor(kind: EntityRow['kind'], scopes: readonly string[]): string[] {
  return scopes.filter((scope) => kind === 'business' || !scope.startsWith('business_'));
}

/** Higher is worse. */
function rank({ severity }: { readonly severity: Severity }): number {
  return SEVERITIES.indexOf(severity);
}
