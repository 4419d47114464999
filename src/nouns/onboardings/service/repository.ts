/**
 * All SQL of onboardings. `entity` is the row id of the entity, null once it is deleted; times are epoch
 * milliseconds.
 */
import type { Environment } from '../../entities/facts.ts';
import type { OnboardingStatus, PlaybookKind } from '../facts.ts';
import type { Outcome } from '../../outcomes/facts.ts';
import type { SignalChanges } from '../../outcomes/service.ts';
import type { Database } from '../../../storage/database.ts';
import { exists, scalarStatement } from '../../../storage/statement.ts';
import {
  assigned,
  boolean,
  integer,
  joined,
  json,
  optional,
  table,
  text,
  textOf,
  type RowOf,
} from '../../../storage/table.ts';
import { damagedRow, rowSeal } from '../../../vault/grants/index.ts';

const ONBOARDINGS = table(
  'onboardings',
  {
    /** Increases with each onboarding. */
    seq: assigned,
    id: text,
    space: integer,
    tenant: joined('tenant', text),
    environment: joined('environment', textOf<Environment>()),
    entity: optional(integer),
    fp_id: text,
    /** The external id of the entity at the last change. */
    external_id: optional(text),
    onboarding_external_id: optional(text),
    playbook_key: text,
    playbook_kind: textOf<PlaybookKind>(),
    playbook_version: integer,
    status: textOf<OnboardingStatus>(),
    requires_manual_review: boolean,
    /** The outcome at `due_at`; without a time, `step_up` waits for a document. */
    next_outcome: optional(textOf<Outcome>()),
    /** What the rule changes; null without a rule that changes any. */
    signals: optional(json<SignalChanges>()),
    is_owner_run: boolean,
    due_at: optional(integer),
    created_at: integer,
    changed_at: integer,
    completed_at: optional(integer),
    /** Id of the entity; null once it is deleted. */
    owner: joined(
      '(SELECT entities.fp_id FROM entities WHERE entities.id = onboardings.entity)',
      optional(text),
    ),
  },
  {
    key: ['id'],
    fixed: [
      'space',
      'entity',
      'fp_id',
      'onboarding_external_id',
      'playbook_key',
      'playbook_kind',
      'is_owner_run',
      'created_at',
    ],
    from: 'onboardings LEFT JOIN spaces ON spaces.id = onboardings.space',
    seal: rowSeal('onboardings'),
    check(row) {
      if (row.entity !== null && row.owner !== row.fp_id) throw damagedRow('onboardings', row);
    },
  },
);

/** Reads throw `vault_damaged` when another program has changed its outcome or its entity. */
export type OnboardingRow = Omit<RowOf<typeof ONBOARDINGS>, 'seal' | 'owner'>;

export const findOnboarding = ONBOARDINGS.first<[id: string]>('WHERE onboardings.id = ?');
export const isOnboardingId = ONBOARDINGS.has<[id: string]>('id = ?');
export const findNewestOnboarding = ONBOARDINGS.first<[entity: number]>(
  'WHERE entity = ? ORDER BY seq DESC LIMIT 1',
);

/** The open onboarding: the newest that a hosted flow or a step-up left incomplete; `entity` is a row id. */
export const findIncomplete = ONBOARDINGS.value<[entity: number], 'id'>(
  'id',
  "WHERE entity = ? AND status = 'incomplete' ORDER BY seq DESC LIMIT 1",
);

/** Whether the entity has an open or finished onboarding on this playbook, other than `except`. */
export const isOnboarded = ONBOARDINGS.has<{ entity: number; playbook_key: string; except: string | null }>(
  'entity = @entity AND playbook_key = @playbook_key AND id IS NOT @except AND entity IS NOT NULL',
);

const findNewestOn = ONBOARDINGS.first<{ entity: number; playbook_key: string }>(
  'WHERE entity = @entity AND playbook_key = @playbook_key ORDER BY seq DESC LIMIT 1',
);
const findOpenedOn = ONBOARDINGS.first<{ entity: number; playbook_key: string }>(
  `WHERE entity = @entity AND playbook_key = @playbook_key AND status = 'incomplete' AND next_outcome IS NULL
     ORDER BY seq DESC LIMIT 1`,
);

/**
 * The onboarding on this playbook that a hosted flow goes on with: one left incomplete, or the newest, whose result
 * stands when it has gone further. A flow that may onboard again (`mayRepeat`) takes only what another flow left.
 */
export function findStanding(
  database: Database,
  at: { readonly entity: number; readonly playbook_key: string },
  mayRepeat: boolean,
): OnboardingRow | undefined {
  return mayRepeat ? findOpenedOn(database, at) : findNewestOn(database, at);
}

/** Those of the entity that wait for a document, oldest first. */
export const listStepUps = ONBOARDINGS.all<[entity: number]>(
  "WHERE entity = ? AND status = 'incomplete' AND next_outcome = 'step_up' ORDER BY seq",
);

/** Those of the entity that have a result to come: pending ones, and those that wait for a document; oldest first. */
export const listAwaited = ONBOARDINGS.unchecked.all<[entity: number]>(
  "WHERE entity = ? AND (status = 'pending' OR (status = 'incomplete' AND next_outcome = 'step_up')) ORDER BY seq",
);

/** Newest change first; of those at one time, as under a frozen clock, the later run first. */
export const listAllOnboardings = ONBOARDINGS.all<[entity: number]>(
  'WHERE entity = ? ORDER BY changed_at DESC, seq DESC',
);

/** Without incomplete ones, newest change first, ties by id descending (§0.9); up to one more than `size`. */
export const listOnboardings = ONBOARDINGS.offsetPage(
  "WHERE entity = ? AND status <> 'incomplete' ORDER BY changed_at DESC, onboardings.id DESC",
);

/** A row without `seq`. */
export type NewRow = Omit<OnboardingRow, 'seq' | 'tenant' | 'environment'>;

/** Returns its `seq`. */
export const insertOnboarding = ONBOARDINGS.insert;

/** The columns that change over time. */
export const updateOnboarding = ONBOARDINGS.update;

const IS_DUE_LATER = 'due_at IS NOT NULL AND entity IS NOT NULL';

/** Ids of those whose outcome is due by `until` and after `after`, in due order. */
export const listDue = ONBOARDINGS.values<{ after: number; until: number }, 'id'>(
  'id',
  `WHERE ${IS_DUE_LATER} AND due_at > @after AND due_at <= @until ORDER BY due_at, seq`,
);

const listChangedSince = ONBOARDINGS.values<[since: number], 'id'>(
  'id',
  `WHERE ${IS_DUE_LATER} AND changed_at > ?`,
);

/** Those that wait for an outcome since a time after `since`. */
export function listWaitingSince(
  database: Database,
  since: number,
): readonly (OnboardingRow & { readonly due_at: number })[] {
  return listChangedSince(database, since).flatMap((id) => {
    const row = findOnboarding(database, id);
    return row?.due_at == null ? [] : [{ ...row, due_at: row.due_at }];
  });
}

/** When the first outcome after `after` is due. */
export const findNextDue = scalarStatement<[after: number], number>(
  `SELECT due_at FROM onboardings WHERE ${IS_DUE_LATER} AND due_at > ? ORDER BY due_at LIMIT 1`,
).get;

export const countDue = ONBOARDINGS.count(IS_DUE_LATER);

/** Also deletes their risk signals; returns how many there were. */
export const deleteAllOnboardings = ONBOARDINGS.delete();

/** Whether the business has users linked as beneficial owners. */
export const hasOwners = exists<[business: number]>('SELECT 1 FROM owners WHERE business = ? LIMIT 1');
