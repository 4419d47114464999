/**
 * The effects of an onboarding's status change, all in its write job (contract §4.4, §4.5, §4.7): the status of the
 * entity, a decision, risk signals, events, and a notice on the stream after the commit.
 */
import type { Needs } from '../../needs.ts';
import type { EntityKind } from '../../entities/facts.ts';
import type { Outcome } from '../../outcomes/facts.ts';
import { timestamp } from '../../../kernel/time/clock.ts';
import { ServiceError, conflict } from '../../../kernel/errors.ts';
import type { Database } from '../../../storage/database.ts';
import { unlessDamaged } from '../../../vault/envelope.ts';
import type { VaultReads } from '../../../vault/vault.ts';
import type { Decisions } from '../../decisions/service.ts';
import { findEntityByRow, updateStatus, type EntityRow } from '../../entities/service/index.ts';
import type { SignalChanges } from '../../outcomes/service.ts';
import type { RiskSignals } from '../../risk-signals/service.ts';
import type { Stream } from '../../stream/service.ts';
import type { Events } from '../../webhooks/service/index.ts';
import { storedText } from './known-person.ts';
import {
  findNewestOnboarding,
  hasOwners,
  insertOnboarding,
  updateOnboarding,
  type NewRow,
  type OnboardingRow,
} from './repository.ts';
import { isTerminal, type Change } from './transitions.ts';
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

export type StatusChanges = ReturnType<typeof createStatusChanges>;

export interface StatusChangesContext extends Needs<'queue' | 'clock' | 'wake'> {
  readonly vault: VaultReads;
  readonly decisions: Decisions;
  readonly signals: RiskSignals;
  readonly events: Events;
  readonly stream: Stream;
}

interface Followed {
  readonly entity: EntityRow;
  /** Whether this is the newest onboarding of the entity. */
  readonly isNewest: boolean;
  readonly isNewStatus: boolean;
  readonly to: Change;
}

export function createStatusChanges(context: StatusChangesContext) {
  const { queue, clock, vault, decisions, signals, events, stream, wake } = context;

  /** The changed row; stores nothing. */
  function changed<Row extends NewRow>(row: Row, entity: EntityRow, to: Change): Row {
    const at = clock.now();
    return {
      ...row,
      external_id: entity.external_id,
      status: to.status,
      requires_manual_review: to.requiresManualReview,
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
      const { requires_manual_review, changed_at: updated_at } = row;
      // An error decides nothing.
      const status = row.status === 'error' ? 'incomplete' : row.status;
      updateStatus(database, { id: entity.id, status, requires_manual_review, updated_at });
    }
    if (isNewStatus) emitStatus(database, row);
    if (to.signalsOf !== null) complete(database, row, entity, { ...to, outcome: to.signalsOf });
    if (to.dueAt !== null) queue.afterCommit(wake);
    return row;
  }

  function emitStatus(database: Database, row: OnboardingRow): void {
    const { fp_id, id: onboarding_id, status: new_status, requires_manual_review } = row;
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
    const codes = signalsOf({ ...inputsOf(database, entity), outcome, changes: row.signals });
    signals.record(database, { onboarding, entity: entity.id, at, codes });
    if (decision !== null && row.playbook_kind !== 'document' && !row.is_owner_run) {
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
    return {
      kind,
      present: new Set(vault.present(database, entity, version)),
      // A damaged value must not prevent the end of a run.
      addressLine1: unlessDamaged(() => storedText(vault, database, entity, 'id.address_line1')),
      hasOwners: kind === 'business' && hasOwners(database, entity.id),
    };
  }

  return {
    /** Creates an onboarding of the entity with its first status. */
    begin(database: Database, entity: EntityRow, onboarding: NewOnboarding, to: Change): OnboardingRow {
      const now = clock.now();
      const { fp_id, space, tenant, environment, external_id } = entity;
      const begun = {
        ...onboarding,
        space,
        entity: entity.id,
        fp_id,
        external_id,
        status: to.status,
        requires_manual_review: false,
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

    /**
     * Changes the status of an open one. Throws `conflict` when it is terminal, `not_found` when its entity was deleted.
     */
    apply(database: Database, row: OnboardingRow, to: Change): OnboardingRow {
      if (isTerminal(row.status)) throw conflict('The onboarding is finished and cannot change any more');
      const entity = row.entity === null ? undefined : findEntityByRow(database, row.entity);
      if (!entity) throw new ServiceError('not_found', 'The entity of this onboarding was deleted');
      const after = changed(row, entity, to);
      updateOnboarding(database, after);
      const isNewest = findNewestOnboarding(database, entity.id)?.seq === row.seq;
      return follow(database, after, { entity, isNewest, isNewStatus: row.status !== to.status, to });
    },

    /** Clears the open review after a manual decision. */
    clearReview(database: Database, row: OnboardingRow, entity: EntityRow): void {
      if (!row.requires_manual_review) return;
      const after = {
        ...row,
        external_id: entity.external_id,
        requires_manual_review: false,
        changed_at: clock.now(),
      };
      updateOnboarding(database, after);
      publishStatus(after);
    },
  };
}

// The risk signals of a finished run, by its outcome and the available data (contract §4.5, A57). Pure.

interface RunInputs {
  readonly kind: EntityKind;
  /** The outcome whose signals apply; a step-up counts as one once its document has arrived. */
  readonly outcome: Outcome;
  /** The identifiers in the vault, including derived ones. */
  readonly present: ReadonlySet<string>;
  /** Undefined when absent. */
  readonly addressLine1: string | undefined;
  /** Whether the business has users linked as owners. */
  readonly hasOwners: boolean;
  /** Signals added and removed by the outcome rule of the run, whatever the outcome. */
  readonly changes: SignalChanges | null;
}

const USER_CLEAR = [
  'watchlist_clear_ofac',
  'watchlist_clear_non_sdn',
  'watchlist_clear_warning',
  'watchlist_clear_pep',
  'adverse_media_clear',
] as const;
const USER_REVIEW = [
  'name_matches',
  'dob_matches',
  'ssn_matches',
  'address_partially_matches',
  'watchlist_hit_ofac',
  'watchlist_clear_non_sdn',
  'watchlist_clear_warning',
  'watchlist_clear_pep',
  'adverse_media_hit',
];

type Sets = Readonly<Partial<Record<Outcome, readonly string[]>>>;
const SETS: Readonly<Record<RunInputs['kind'], Sets>> = {
  user: {
    pass: [
      'name_matches',
      'dob_matches',
      'ssn_matches',
      'address_matches',
      'phone_number_matches',
      'email_found_on_file',
      ...USER_CLEAR,
    ],
    fail: [
      'id_not_located',
      'name_does_not_match',
      'dob_does_not_match',
      'ssn_does_not_match',
      'address_does_not_match',
      'email_not_found_on_file',
      ...USER_CLEAR,
    ],
    manual_review: USER_REVIEW,
    step_up: [...USER_REVIEW, 'document_requires_review', 'document_ocr_successful'],
  },
  business: {
    pass: [
      'business_name_match',
      'tin_match',
      'business_address_match',
      'business_phone_number_match',
      'business_website_online',
      'sos_active_filing_found',
      'business_name_no_watchlist_hits',
      'beneficial_owners_match',
      'watchlist_clear_ofac',
      'adverse_media_clear',
    ],
    fail: [
      'business_name_does_not_match',
      'tin_does_not_match',
      'business_address_does_not_match',
      'sos_filing_not_found',
      'business_website_offline',
      'business_name_no_watchlist_hits',
      'watchlist_clear_ofac',
      'adverse_media_clear',
    ],
    manual_review: [
      'business_name_similar_match',
      'tin_match',
      'business_address_close_match',
      'sos_filing_partially_active',
      'business_name_watchlist_hit',
      'watchlist_hit_ofac',
      'adverse_media_hit',
    ],
  },
};

type Reads = (inputs: RunInputs) => boolean;
const anyOf =
  (...identifiers: string[]): Reads =>
  ({ present }) =>
    identifiers.some((identifier) => present.has(identifier));
const hasSsn = anyOf('id.ssn9', 'id.ssn4');
const always: Reads = () => true;

/** The data that codes depend on, by their prefix, longer prefixes first; other codes depend on none. */
const INPUTS: readonly (readonly [prefix: string, needs: Reads])[] = [
  ['name_', anyOf('id.first_name', 'id.last_name')],
  ['dob_', anyOf('id.dob')],
  ['ssn_', hasSsn],
  ['address_', anyOf('id.address_line1')],
  ['phone_number_', anyOf('id.phone_number')],
  ['email_', anyOf('id.email')],
  // Watchlists are searched in any case.
  ['business_name_no_watchlist_hits', always],
  ['business_name_watchlist_hit', always],
  ['business_name_', anyOf('business.name')],
  ['business_address_', anyOf('business.address_line1')],
  ['business_phone_number_', anyOf('business.phone_number')],
  ['business_website_', anyOf('business.website')],
  ['tin_', anyOf('business.tin')],
  ['sos_', anyOf('business.name')],
  ['beneficial_owners_', hasOwnerData],
];

/** The codes of the run, without duplicates. */
function signalsOf(run: RunInputs): Set<string> {
  const codes = new Set<string>();
  for (const code of SETS[run.kind][run.outcome] ?? []) {
    const isItinOnly = code.startsWith('ssn_') && !hasSsn(run) && run.present.has('id.itin');
    if (isItinOnly) codes.add('us_tax_id_is_itin');
    else if (hasInput(code, run)) codes.add(code);
  }
  if (run.kind === 'user' && POST_OFFICE_BOX.test(run.addressLine1 ?? ''))
    codes.add('address_input_is_po_box');
  for (const code of run.changes?.add ?? []) codes.add(code);
  for (const code of run.changes?.remove ?? []) codes.delete(code);
  return codes;
}

/** The watchlist result in the codes; undefined when they have none. */
function watchlistCheck(codes: ReadonlySet<string>): 'pass' | 'fail' | undefined {
  const found = [...codes].filter((code) => code.startsWith('watchlist_'));
  if (found.length === 0) return undefined;
  return found.some((code) => code.startsWith('watchlist_hit_')) ? 'fail' : 'pass';
}

function hasInput(code: string, run: RunInputs): boolean {
  const [, needs = always] = INPUTS.find(([prefix]) => code.startsWith(prefix)) ?? [];
  return needs(run);
}

function hasOwnerData({ hasOwners, present }: RunInputs): boolean {
  const isOwnerData = (identifier: string) =>
    /^business\.(?:kyced_)?beneficial_owners(?:\.|$)/.test(identifier);
  return hasOwners || [...present].some(isOwnerData);
}

const POST_OFFICE_BOX = /\b(?:p[.\s]{0,8}o|post\s{1,8}office)[.\s-]{0,8}box(?![a-z])/i;
