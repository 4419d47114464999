/**
 * The effects of an onboarding's status change, all in its write job (contract §4.4, §4.5, §4.7): the status of the
 * entity, a decision, risk signals, events, and a notice on the stream after the commit.
 */
import type { Outcome } from '../../contract/facts/onboardings.ts';
import { timestamp, type Clock } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import { unlessDamaged } from '../../vault/envelope.ts';
import type { VaultReads } from '../../vault/vault.ts';
import type { Decisions } from '../decisions/index.ts';
import { findEntityByRow, updateStatus, type EntityRow } from '../entities/index.ts';
import type { SignalChanges } from '../outcomes/index.ts';
import type { RiskSignals } from '../risk-signals/index.ts';
import type { Stream } from '../stream/index.ts';
import type { Events } from '../webhooks/index.ts';
import {
  findNewestOnboarding,
  hasOwners,
  insertOnboarding,
  updateOnboarding,
  type NewRow,
  type OnboardingRow,
} from './repository.ts';
import { signalsOf, watchlistCheck } from './signal-rules.ts';
import { entityStatusOf, isTerminal, type Change } from './transitions.ts';
import { completedMembers, onboardingNotice } from './views.ts';

/** The initial state of an onboarding. */
export type NewOnboarding = Pick<
  OnboardingRow,
  | 'id'
  | 'onboarding_external_id'
  | 'playbook_key'
  | 'playbook_kind'
  | 'playbook_version'
  | 'signals'
  | 'is_owner_run'
>;

export interface StatusChanges {
  /** Creates an onboarding of the entity with its first status. */
  begin(database: Database, entity: EntityRow, onboarding: NewOnboarding, change: Change): OnboardingRow;
  /**
   * Changes the status of an open one. Throws `conflict` when it is terminal, `not_found` when its entity was deleted.
   */
  apply(database: Database, row: OnboardingRow, change: Change): OnboardingRow;
  /** Clears the open review after a manual decision. */
  clearReview(database: Database, row: OnboardingRow, entity: EntityRow): void;
}

export interface StatusChangesContext {
  readonly queue: WriteQueue;
  readonly clock: Clock;
  readonly vault: VaultReads;
  readonly decisions: Decisions;
  readonly signals: RiskSignals;
  readonly events: Events;
  readonly stream: Stream;
  /** Called after the commit of a new due outcome. */
  readonly wake: () => void;
}

interface Followed {
  readonly entity: EntityRow;
  /** Whether this is the newest onboarding of the entity. */
  readonly isNewest: boolean;
  readonly isNewStatus: boolean;
  readonly to: Change;
}

const NO_CHANGES: SignalChanges = { add: [], remove: [] };

export function createStatusChanges(context: StatusChangesContext): StatusChanges {
  const { queue, clock, vault, decisions, signals, events, stream, wake } = context;

  /** The changed row; stores nothing. */
  function changed<Row extends NewRow>(row: Row, entity: EntityRow, to: Change): Row {
    const at = clock.now();
    return {
      ...row,
      external_id: entity.external_id,
      status: to.status,
      requires_manual_review: to.requiresManualReview ? 1 : 0,
      next_outcome: to.next,
      due_at: to.dueAt,
      changed_at: at,
      completed_at: isTerminal(to.status) ? at : null,
    };
  }

  /** Applies the effects of a stored change. */
  function follow(
    database: Database,
    row: OnboardingRow,
    { entity, isNewest, isNewStatus, to }: Followed,
  ): OnboardingRow {
    // An older onboarding that ends late does not affect the entity.
    if (isNewest) {
      const status = entityStatusOf(to.status);
      const { requiresManualReview: requires_manual_review } = to;
      updateStatus(database, { id: entity.id, status, requires_manual_review, updated_at: row.changed_at });
    }
    if (isNewStatus) emitStatus(database, row);
    if (to.signalsOf !== null) complete(database, row, entity, { ...to, outcome: to.signalsOf });
    if (to.dueAt !== null) queue.afterCommit(wake);
    return row;
  }

  function emitStatus(database: Database, row: OnboardingRow): void {
    const { fp_id, id: onboarding_id, status: new_status } = row;
    const requires_manual_review = row.requires_manual_review === 1;
    const members = { onboarding_id, new_status, requires_manual_review };
    events.emit(database, row, { kind: 'onboarding.status_changed', fp_id, members });
    publishStatus(row);
  }

  function publishStatus(row: OnboardingRow): void {
    const notice = onboardingNotice(row);
    queue.afterCommit(() => stream.publish('onboarding', () => notice));
  }

  function complete(
    database: Database,
    row: OnboardingRow,
    entity: EntityRow,
    { outcome, decision }: Pick<Change, 'decision'> & { readonly outcome: Outcome },
  ): void {
    const { id: onboarding, fp_id, playbook_key, changed_at: at } = row;
    const codes = signalsOf({
      ...inputsOf(database, entity),
      outcome,
      changes: row.signals === null ? NO_CHANGES : (JSON.parse(row.signals) as SignalChanges),
    });
    signals.record(database, { onboarding, entity: entity.id, at, codes });
    if (decision !== null && row.playbook_kind !== 'document' && row.is_owner_run === 0) {
      const byHand = { annotation: null, reviewer_email: null };
      const made = { entity: entity.id, kind: 'playbook_run', status: decision, playbook_key, at } as const;
      decisions.record(database, { ...made, ...byHand });
    }
    const check = watchlistCheck(codes);
    if (check) {
      const members = { status: check, error: null, external_id: row.external_id };
      events.emit(database, row, { kind: 'watchlist_check.completed', fp_id, members });
    }
    // The time of the change, as in the row: the clock may have advanced since.
    const members = { ...completedMembers(row), timestamp: timestamp(at) };
    events.emit(database, row, { kind: 'onboarding.completed', fp_id, members });
  }

  function inputsOf(database: Database, entity: EntityRow) {
    const { kind, vault_version: version } = entity;
    const identifier = 'id.address_line1';
    const references = [{ text: identifier, identifier, version: undefined }];
    // A damaged value must not prevent the end of a run.
    const address = unlessDamaged(() =>
      vault.reveal(database, entity, { references, version }).get(identifier),
    );
    return {
      kind,
      present: new Set(vault.present(database, entity, version)),
      addressLine1: typeof address === 'string' ? address : undefined,
      hasOwners: kind === 'business' && hasOwners(database, entity.id),
    };
  }

  return {
    begin(database, entity, onboarding, to) {
      const now = clock.now();
      const { fp_id, space, tenant, environment, external_id } = entity;
      const begun = {
        ...onboarding,
        space,
        entity: entity.id,
        fp_id,
        external_id,
        status: to.status,
        requires_manual_review: 0,
        next_outcome: null,
        due_at: null,
        created_at: now,
        changed_at: now,
        completed_at: null,
      };
      const row = changed(begun, entity, to);
      const seq = insertOnboarding(database, row);
      const after = { ...row, seq, tenant, environment };
      return follow(database, after, { entity, isNewest: true, isNewStatus: true, to });
    },

    apply(database, row, to) {
      if (isTerminal(row.status)) {
        throw new ServiceError('conflict', 'The onboarding is finished and cannot change any more');
      }
      const entity = row.entity === null ? undefined : findEntityByRow(database, row.entity);
      if (!entity) throw new ServiceError('not_found', 'The entity of this onboarding was deleted');
      const after = changed(row, entity, to);
      updateOnboarding(database, after);
      const isNewest = findNewestOnboarding(database, entity.id)?.seq === row.seq;
      return follow(database, after, { entity, isNewest, isNewStatus: row.status !== to.status, to });
    },

    clearReview(database, row, entity) {
      if (row.requires_manual_review === 0) return;
      const after = {
        ...row,
        external_id: entity.external_id,
        requires_manual_review: 0,
        changed_at: clock.now(),
      };
      updateOnboarding(database, after);
      publishStatus(after);
    },
  };
}
