/**
 * All SQL of onboardings. `entity` is the row id of the entity, null once it is deleted; times are epoch
 * milliseconds.
 */
import type { OnboardingStatus, Outcome, PlaybookKind } from '../../contract/facts/onboardings.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';
import { requireAbsent, type TableIndex } from '../../storage/confirmed-misses.ts';
import { damagedRow, requireSeal, sealOf } from '../../vault/grants/index.ts';
import type { Space } from '../api-keys/index.ts';

export interface OnboardingRow extends Space {
  /** Increases with each onboarding. */
  readonly seq: number;
  readonly id: string;
  readonly entity: number | null;
  readonly fp_id: string;
  /** The external id of the entity at the last change. */
  readonly external_id: string | null;
  readonly onboarding_external_id: string | null;
  readonly playbook_key: string;
  readonly playbook_kind: PlaybookKind;
  readonly playbook_version: number;
  readonly status: OnboardingStatus;
  readonly requires_manual_review: number;
  /** The outcome at `due_at`; without a time, `step_up` waits for a document. */
  readonly next_outcome: Outcome | null;
  /** JSON of the rule's added and removed signals; null without any. */
  readonly signals: string | null;
  readonly is_owner_run: number;
  readonly due_at: number | null;
  readonly created_at: number;
  readonly changed_at: number;
  readonly completed_at: number | null;
}

interface Stored extends OnboardingRow {
  readonly seal: Uint8Array | null;
  /** Id of the entity; null once it is deleted. */
  readonly owner: string | null;
}

const SELECT = `SELECT onboardings.*, tenant, environment,
    (SELECT entities.fp_id FROM entities WHERE entities.id = onboardings.entity) AS owner
  FROM onboardings JOIN spaces ON spaces.id = onboardings.space`;

/** Throws `vault_damaged` when another program has changed its outcome or its entity. */
function judged(database: Database, { seal, owner, ...row }: Stored): OnboardingRow {
  requireSeal(database, 'onboardings', row, seal);
  if (row.entity !== null && owner !== row.fp_id) throw damagedRow('onboardings', row);
  return row;
}

export function findOnboarding(database: Database, id: string): OnboardingRow | undefined {
  const row = statement<[string], Stored>(`${SELECT} WHERE onboardings.id = ?`).get(database, id);
  if (row !== undefined) return judged(database, row);
  requireAbsent(database, BY_ID, [id]);
  return undefined;
}

const BY_ID: TableIndex = {
  table: 'onboardings',
  index: 'sqlite_autoindex_onboardings_1',
  columns: ['id'],
};

export function isOnboardingId(database: Database, id: string): boolean {
  return (
    scalarStatement<[string], 1>('SELECT 1 FROM onboardings WHERE id = ?').get(database, id) !== undefined
  );
}

export function findNewestOnboarding(database: Database, entity: number): OnboardingRow | undefined {
  const row = statement<[number], Stored>(`${SELECT} WHERE entity = ? ORDER BY seq DESC LIMIT 1`).get(
    database,
    entity,
  );
  return row === undefined ? undefined : judged(database, row);
}

/** The open onboarding: the newest that a hosted flow or a step-up left incomplete; `entity` is a row id. */
export function findIncomplete(database: Database, entity: number): string | undefined {
  return scalarStatement<[number], string>(
    "SELECT id FROM onboardings WHERE entity = ? AND status = 'incomplete' ORDER BY seq DESC LIMIT 1",
  ).get(database, entity);
}

/** Whether the entity has an open or finished onboarding on this playbook, other than `except`. */
export function isOnboarded(
  database: Database,
  run: { entity: number; playbook_key: string; except: string | null },
): boolean {
  const sql =
    'SELECT 1 FROM onboardings WHERE entity = ? AND playbook_key = ? AND id IS NOT ? AND entity IS NOT NULL';
  return (
    scalarStatement<[number, string, string | null], 1>(sql).get(
      database,
      run.entity,
      run.playbook_key,
      run.except,
    ) !== undefined
  );
}

/** Those of the entity that wait for a document, oldest first. */
export function listStepUps(database: Database, entity: number): OnboardingRow[] {
  const rows = statement<[number], Stored>(
    `${SELECT} WHERE entity = ? AND status = 'incomplete' AND next_outcome = 'step_up' ORDER BY seq`,
  ).all(database, entity);
  return rows.map((row) => judged(database, row));
}

/** Pending ones of the entity, oldest first. */
export function listPending(database: Database, entity: number): OnboardingRow[] {
  return statement<[number], OnboardingRow>(
    `${SELECT} WHERE entity = ? AND status = 'pending' ORDER BY seq`,
  ).all(database, entity);
}

const NEWEST_FIRST = 'ORDER BY changed_at DESC, onboardings.id DESC';

/** Newest change first, ties by id descending. */
export function listAllOnboardings(database: Database, entity: number): OnboardingRow[] {
  const rows = statement<[number], Stored>(`${SELECT} WHERE entity = ? ${NEWEST_FIRST}`).all(
    database,
    entity,
  );
  return rows.map((row) => judged(database, row));
}

/** The same without incomplete ones; up to one more than `size`. */
export function listOnboardings(
  database: Database,
  entity: number,
  page: { offset: number; size: number },
): OnboardingRow[] {
  const rows = statement<[number, number, number], Stored>(
    `${SELECT} WHERE entity = ? AND status <> 'incomplete' ${NEWEST_FIRST} LIMIT ? + 1 OFFSET ?`,
  ).all(database, entity, page.size, page.offset);
  return rows.map((row) => judged(database, row));
}

/** A row without `seq`. */
export type NewRow = Omit<OnboardingRow, 'seq' | 'tenant' | 'environment'>;

/** Returns its `seq`. */
export function insertOnboarding(database: Database, row: NewRow): number {
  const { lastInsertRowid } = statement<
    NewRow & { seal: Uint8Array }
  >(`INSERT INTO onboardings (id, space, entity, fp_id, external_id, onboarding_external_id, playbook_key,
       playbook_kind, playbook_version, status, requires_manual_review, next_outcome, signals, is_owner_run, due_at,
       created_at, changed_at, completed_at, seal)
     VALUES (@id, @space, @entity, @fp_id, @external_id, @onboarding_external_id, @playbook_key, @playbook_kind,
       @playbook_version, @status, @requires_manual_review, @next_outcome, @signals, @is_owner_run, @due_at,
       @created_at, @changed_at, @completed_at, @seal)`).run(database, {
    ...row,
    seal: sealOf(database, 'onboardings', row),
  });
  return Number(lastInsertRowid);
}

/** The columns that change over time. */
export function updateOnboarding(database: Database, row: OnboardingRow): void {
  statement<
    OnboardingRow & { seal: Uint8Array }
  >(`UPDATE onboardings SET external_id = @external_id, playbook_version = @playbook_version, status = @status,
       requires_manual_review = @requires_manual_review, next_outcome = @next_outcome, signals = @signals,
       due_at = @due_at, changed_at = @changed_at, completed_at = @completed_at, seal = @seal
     WHERE id = @id`).run(database, { ...row, seal: sealOf(database, 'onboardings', row) });
}

const IS_DUE_LATER = 'due_at IS NOT NULL AND entity IS NOT NULL';

/** Ids of those whose outcome is due by `until` and after `after`, in due order. */
export function listDue(database: Database, { after, until }: { after: number; until: number }): string[] {
  return scalarStatement<[number, number], string>(
    `SELECT id FROM onboardings WHERE ${IS_DUE_LATER} AND due_at > ? AND due_at <= ? ORDER BY due_at, seq`,
  ).all(database, after, until);
}

/** Those that wait for an outcome since a time after `since`. */
export function listWaitingSince(
  database: Database,
  since: number,
): readonly (OnboardingRow & { readonly due_at: number })[] {
  const ids = scalarStatement<[number], string>(
    `SELECT id FROM onboardings WHERE ${IS_DUE_LATER} AND changed_at > ?`,
  ).all(database, since);
  return ids.flatMap((id) => {
    const row = findOnboarding(database, id);
    return row?.due_at == null ? [] : [{ ...row, due_at: row.due_at }];
  });
}

/** When the first outcome after `after` is due. */
export function findNextDue(database: Database, after: number): number | undefined {
  return scalarStatement<[number], number>(
    `SELECT due_at FROM onboardings WHERE ${IS_DUE_LATER} AND due_at > ? ORDER BY due_at LIMIT 1`,
  ).get(database, after);
}

export function countDue(database: Database): number {
  return scalarStatement<[], number>(`SELECT count(*) FROM onboardings WHERE ${IS_DUE_LATER}`).one(database);
}

/** Also deletes their risk signals; returns how many there were. */
export function deleteAllOnboardings(database: Database): number {
  return statement('DELETE FROM onboardings').run(database).changes;
}

/** Whether the business has users linked as beneficial owners. */
export function hasOwners(database: Database, business: number): boolean {
  return (
    scalarStatement<[number], 1>('SELECT 1 FROM owners WHERE business = ? LIMIT 1').get(
      database,
      business,
    ) !== undefined
  );
}
