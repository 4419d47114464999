/** All SQL of risk signals. `entity` is the row id of the entity; times are epoch milliseconds. */
import type { Database } from '../../storage/database.ts';
import { insertion } from '../../storage/insertion.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';

export interface SignalRow {
  readonly onboarding: string;
  readonly entity: number;
  readonly reason_code: string;
  readonly created_at: number;
}

const INSERT = insertion<[onboarding: string, entity: number, reason_code: string, created_at: number]>(
  'INSERT INTO risk_signals (onboarding, entity, reason_code, created_at)',
  4,
);

export function insertSignals(database: Database, rows: readonly SignalRow[]): void {
  INSERT.run(
    database,
    rows.map((row) => [row.onboarding, row.entity, row.reason_code, row.created_at]),
  );
}

/** In no particular order. */
export function listSignals(database: Database, onboarding: string): SignalRow[] {
  const sql = 'SELECT * FROM risk_signals WHERE onboarding = ?';
  return statement<[string], SignalRow>(sql).all(database, onboarding);
}

/** The id of the entity's newest finished onboarding. */
export function findLatestFinished(database: Database, entity: number): string | undefined {
  return scalarStatement<[number], string>(
    'SELECT id FROM onboardings WHERE entity = ? AND completed_at IS NOT NULL ORDER BY seq DESC LIMIT 1',
  ).get(database, entity);
}

export function isOnboardingOf(database: Database, onboarding: { id: string; entity: number }): boolean {
  const sql = 'SELECT 1 FROM onboardings WHERE id = ? AND entity = ?';
  return (
    scalarStatement<[string, number], 1>(sql).get(database, onboarding.id, onboarding.entity) !== undefined
  );
}
