/** Runs of entities through playbooks, and their outcomes (contract §4). */
import type { Outcome } from '../../outcomes/facts.ts';
import type { PlaybookKind } from '../facts.ts';
import type { AnswerOf, RequestOf } from '../../../contract/registry.ts';
import { offsetPage, offsetPlace } from '../../../kernel/cursor.ts';
import { ServiceError, invalid } from '../../../kernel/errors.ts';
import { ID_PREFIX } from '../../../kernel/ids.ts';
import type { Database } from '../../../storage/database.ts';
import type { AccessCall, AccessRequest } from '../../../vault/access-entry.ts';
import type { VaultReads } from '../../../vault/vault.ts';
import type { Caller, Space } from '../../api-keys/service/index.ts';
import { createDueJobs, type DueSource } from '../../clock/service/index.ts';
import type { Decisions } from '../../decisions/service.ts';
import { getEntity, updateStatus, type EntityRow } from '../../entities/service/index.ts';
import type { Hits } from '../../hits/service.ts';
import type { Outcomes } from '../../outcomes/service/index.ts';
import type { Playbooks } from '../../playbooks/service.ts';
import type { Events } from '../../webhooks/service/index.ts';
import { createEngine, notFound, refuseLiveFixture } from './engine.ts';
import {
  countDue,
  deleteAllOnboardings,
  findNewestOnboarding,
  findNextDue,
  findOnboarding,
  listAllOnboardings,
  listDue,
  listOnboardings,
  listPending,
  listWaitingSince,
  type OnboardingRow,
  updateOnboarding,
} from './repository.ts';
import { SESSION_TTL_MS, type HostedLink, type SessionTokens } from './session-tokens.ts';
import type { StatusChanges } from './status-changes.ts';
import { comesTo, isTerminal, settledAs } from './transitions.ts';
import { onboardingItem, onboardingView, type OnboardingView, type RunResult } from './views.ts';
import type { Needs } from '../../needs.ts';

export type { OnboardingItem, OnboardingView, RunResult } from './views.ts';
type RunRequest = RequestOf<'POST /users/{fp_id}/kyc'>['body'];

export type Onboardings = ReturnType<typeof createOnboardings>;

/** The kinds of playbook for headless runs. */
const KINDS: Readonly<Record<EntityRow['kind'], readonly PlaybookKind[]>> = {
  user: ['kyc', 'document'],
  business: ['kyb'],
};

export function createOnboardings(
  context: Needs<'queue' | 'clock' | 'random' | 'accessLog' | 'acts'> & {
    readonly vault: VaultReads;
    readonly playbooks: Playbooks;
    readonly outcomes: Outcomes;
    readonly decisions: Decisions;
    readonly events: Events;
    readonly changes: StatusChanges;
    readonly hits: Hits;
    readonly sessionTokens: SessionTokens;
  },
) {
  const { queue, clock, playbooks, decisions, events, changes, sessionTokens, acts, hits } = context;
  const engine = createEngine(context);

  /** Applies this outcome to an open onboarding now. */
  function bringAbout(database: Database, row: OnboardingRow, outcome: Outcome): OnboardingRow {
    return changes.apply(database, row, comesTo(outcome, kindOf(row)));
  }

  /** Opens a session that continues an incomplete run. */
  function linkTo(
    database: Database,
    caller: Caller,
    user: EntityRow,
    { onboarding_id, playbook_key }: RunResult,
  ): HostedLink {
    return sessionTokens.issue(database, caller, {
      request: { flow: 'inherit', fp_id: user.fp_id },
      playbookKey: playbook_key,
      onboarding: onboarding_id,
      participants: { user, business: undefined },
      ttlMs: SESSION_TTL_MS,
    });
  }

  return {
    engine,
    /** Delayed outcomes. */
    due: createDueOutcomes({ queue, clock, bringAbout }),

    /** A headless run (contract §4.2); `version` is that of the entity's vault. */
    async run(
      call: AccessRequest & { readonly caller: Caller },
      { fp_id, kind }: EntityRow,
      request: RunRequest,
    ): Promise<{ result: AnswerOf<'POST /users/{fp_id}/kyc'>; version: number }> {
      const { caller } = call;
      refuseLiveFixture(caller, request.fixture_result);
      const mayReonboard = allowsReonboarding(request);
      return queue.write((database) => {
        const entity = getEntity(database, caller, fp_id, kind);
        const playbook = playbooks.require(database, caller, request.key, KINDS[kind]);
        if (playbook.collects_owners) {
          throw invalid('The playbook collects owners, who come by a session: POST /onboarding/session');
        }
        if (!mayReonboard) engine.requireNotOnboarded(database, entity, playbook);
        engine.requireReady(database, entity, playbook, 'headless');
        const result = engine.start(database, {
          entity,
          playbook,
          fixture: request.fixture_result,
          onboardingExternalId: request.onboarding_external_id ?? null,
          delayMs: playbook.delay_ms,
          isOwnerRun: false,
          call,
        });
        // Runs of apps are many, and their results are onboardings; a person's choice is a record of its own.
        if (request.fixture_result !== undefined || call.operator !== null) {
          const effect = `${playbook.key} -> ${request.fixture_result ?? 'as decided'}`;
          acts.record(database, call, entity, { operation: 'run', effect, reason: request.reason });
        }
        const isLinked = request.generate_link_on_stepup === true && result.status === 'incomplete';
        return {
          result: {
            ...result,
            ...(isLinked && { in_progress_link: linkTo(database, caller, entity, result) }),
          },
          version: entity.vault_version,
        };
      });
    },

    /** Without incomplete ones (contract §10). */
    list(
      entity: EntityRow,
      query: RequestOf<'GET /users/{fp_id}/onboardings'>['query'],
    ): AnswerOf<'GET /users/{fp_id}/onboardings'> {
      const place = offsetPlace(query);
      const rows = listOnboardings(queue.database, entity.id, place);
      return offsetPage(rows, { ...place, view: onboardingItem });
    },

    /** All of them, including incomplete ones, newest first. */
    all: (database: Database, entity: EntityRow) =>
      listAllOnboardings(database, entity.id).map(onboardingItem),

    /** The same with the times at which each started and ended. */
    views: (database: Database, entity: EntityRow) =>
      listAllOnboardings(database, entity.id).map(onboardingView),

    /** Throws `not_found`. */
    get(space: Space, id: string): OnboardingView {
      const row = findOnboarding(queue.database, id);
      if (row?.space !== space.space) throw notFound();
      return onboardingView(row);
    },

    /**
     * A manual decision (contract §4.4); the operator is the default reviewer. Throws `invalid_request` for an entity
     * without onboarding.
     */
    review: (
      call: AccessCall,
      reviewed: EntityRow,
      {
        status,
        annotation,
        reviewer_email,
        hits: decision,
      }: RequestOf<'POST /users/{fp_id}/decisions'>['body'],
    ): Promise<void> =>
      queue.write((database) => {
        const { fp_id, kind } = reviewed;
        const entity = getEntity(database, reviewed, fp_id, kind);
        const newest = findNewestOnboarding(database, entity.id);
        if (!newest) throw invalid(`This ${kind} has no onboarding to decide about`);
        const at = clock.now();
        const made = { kind: 'manual', playbook_key: null, entity: entity.id, at } as const;
        decisions.record(database, {
          ...made,
          status,
          annotation,
          reviewer_email: reviewer_email ?? call.operator,
        });
        if (decision) hits.settle(database, entity, { decision, reason: annotation, call });
        acts.record(database, call, entity, { operation: 'decide', effect: status, reason: annotation });
        // A later result must not override a manual decision.
        for (const row of listPending(database, entity.id)) changes.apply(database, row, settledAs(status));
        updateStatus(database, { id: entity.id, status, requires_manual_review: false, updated_at: at });
        changes.clearReview(database, newest, entity);
        const { external_id } = entity;
        events.emit(database, entity, { kind: 'user.manual_review', fp_id, members: { external_id } });
      }),

    /** Ends a pending or incomplete one now, in any tenant. Throws `conflict` when it is terminal. */
    resolve: (
      id: string,
      { outcome, reason }: RequestOf<'POST /_kyclone/onboardings/{id}/resolve'>['body'],
      call: AccessCall,
    ): Promise<OnboardingView> =>
      queue.write((database) => {
        const row = findOnboarding(database, id);
        if (!row) throw new ServiceError('not_found', 'No onboarding has this id');
        refuseNoChange(row, outcome);
        const resolved = bringAbout(database, row, outcome);
        const { tenant, environment, fp_id } = row;
        const subject = { tenant, environment, fp_id };
        acts.record(database, call, subject, { operation: 'resolve', effect: `${id} -> ${outcome}`, reason });
        return onboardingView(resolved);
      }),

    /** Call it in the write job of a reset; returns how many there were. */
    reset: deleteAllOnboardings,
  };
}

function kindOf({ fp_id }: OnboardingRow): EntityRow['kind'] {
  return fp_id.startsWith(ID_PREFIX.business) ? 'business' : 'user';
}

/** `force_reonboard` is an alias of `allow_reonboard`; the default is true (contract §10). */
function allowsReonboarding({ allow_reonboard, force_reonboard }: RunRequest): boolean {
  if (allow_reonboard !== undefined && force_reonboard !== undefined && allow_reonboard !== force_reonboard) {
    throw invalid('allow_reonboard and force_reonboard mean the same and must not differ');
  }
  return allow_reonboard ?? force_reonboard ?? true;
}

/** Refuses an outcome that would not change the open onboarding. */
function refuseNoChange(row: OnboardingRow, outcome: Outcome): void {
  if (isTerminal(row.status) || row.entity === null) return;
  const { status, next } = comesTo(outcome, kindOf(row));
  if (status !== row.status || isTerminal(status)) return;
  if (status === 'incomplete' && row.next_outcome !== next) return;
  throw invalid(`outcome must change something: the onboarding is ${status} already`);
}

// Delayed outcomes, applied when they fall due (contract §4.4, §4.7); those of deleted entities never are.

/** `bringAbout` is called within a write job, for one that is due. */
function createDueOutcomes(
  context: Needs<'queue' | 'clock'> & {
    readonly bringAbout: (database: Database, row: OnboardingRow, outcome: Outcome) => unknown;
  },
): DueSource {
  const { queue, clock, bringAbout } = context;
  return createDueJobs({
    name: 'outcomes',
    queue,
    clock,
    nextAt: (after) => findNextDue(queue.database, after),
    list: (times) => listDue(queue.database, times),
    pending: () => countDue(queue.database),
    stepBack(database, { from, to }) {
      for (const row of listWaitingSince(database, to))
        updateOnboarding(database, { ...row, due_at: Math.max(to, row.due_at - (from - to)) });
    },
    /** Does nothing when it was deleted, resolved or postponed in the meantime. */
    runOne(database, id) {
      const row = findOnboarding(database, id);
      const isDue = row && row.entity !== null && row.due_at !== null && row.due_at <= clock.now();
      if (!isDue || row.next_outcome === null) return 0;
      bringAbout(database, row, row.next_outcome);
      return 1;
    },
  });
}
