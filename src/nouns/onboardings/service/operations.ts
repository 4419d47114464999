/** Runs of entities through playbooks, and their outcomes (contract §4). */
import type { Outcome } from '../../outcomes/facts.ts';
import { RUN_KINDS } from '../facts.ts';
import type { Answer } from '../../../contract/handler.ts';
import type { AnswerOf, EndpointKey, RequestOf } from '../../../contract/registry.ts';
import { offsetPage, offsetPlace } from '../../cursor.ts';
import { ServiceError, invalid } from '../../../kernel/errors.ts';
import { ID_PREFIX } from '../../../kernel/ids/ids.ts';
import type { Database } from '../../../storage/database.ts';
import { callOfControl, type AccessRequest } from '../../../vault/access-entry.ts';
import type { VaultReads } from '../../../vault/vault.ts';
import type { Caller, Space } from '../../api-keys/service/index.ts';
import { createDueJobs, type DueSource } from '../../clock/service/index.ts';
import type { Decisions } from '../../decisions/service.ts';
import { forBusinessesToo, getEntity, updateStatus, type EntityRow } from '../../entities/service/index.ts';
import { answer, linkByHost, vaultAnswer, type Handlers, written, doneWriting } from '../../handlers.ts';
import type { Hits } from '../../hits/service.ts';
import type { Outcomes } from '../../outcomes/service.ts';
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
  listAwaited,
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

interface RunCall extends AccessRequest {
  readonly caller: Caller;
  readonly entity: EntityRow;
  readonly rawHeaders: readonly string[];
  readonly body: RunRequest;
}

export type Onboardings = ReturnType<typeof createOnboardings>;

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

  /** Throws `not_found`. */
  function get(space: Space, id: string): OnboardingView {
    const row = findOnboarding(queue.database, id);
    if (row?.space !== space.space) throw notFound();
    return onboardingView(row);
  }

  /** A headless run (contract §4.2). */
  async function run(call: RunCall): Promise<Answer<AnswerOf<'POST /users/{fp_id}/kyc'>>> {
    const { caller, body: request } = call;
    const { fp_id, kind } = call.entity;
    refuseLiveFixture(caller, request.fixture_result);
    const mayReonboard = allowsReonboarding(request);
    return queue.write((database) => {
      const entity = getEntity(database, caller, fp_id, kind);
      const playbook = playbooks.require(database, caller, request.key, RUN_KINDS[kind]);
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
      const link = isLinked && linkByHost(call, linkTo(database, caller, entity, result));
      return vaultAnswer({ ...result, ...(link && { in_progress_link: link }) }, entity.vault_version);
    });
  }

  return {
    engine,
    /** Delayed outcomes. */
    due: createDueOutcomes({ queue, clock, bringAbout }),

    /** All of them, including incomplete ones, newest first. */
    all: (database: Database, entity: EntityRow) =>
      listAllOnboardings(database, entity.id).map(onboardingItem),

    /** The same with the times at which each started and ended. */
    views: (database: Database, entity: EntityRow) =>
      listAllOnboardings(database, entity.id).map(onboardingView),

    get,

    /** Call it in the write job of a reset; returns how many there were. */
    reset: deleteAllOnboardings,

    handlers: {
      'POST /users/{fp_id}/kyc': run,
      'POST /businesses/{fp_bid}/kyb': run,
      'POST /users/{fp_id}/reonboard': ({ body, ...request }) =>
        run({ ...request, body: { ...body, allow_reonboard: true } }),

      'GET /onboardings/{id}': ({ caller, params }) => answer(get(caller, params.id)),

      // Ends a pending or incomplete one now, in any tenant. Throws `conflict` when it is terminal.
      'POST /_kyclone/onboardings/{id}/resolve': ({ params: { id }, body: { outcome, reason }, ...by }) =>
        written(queue, (database) => {
          const row = findOnboarding(database, id);
          if (!row) throw new ServiceError('not_found', 'No onboarding has this id');
          refuseNoChange(row, outcome);
          const resolved = bringAbout(database, row, outcome);
          const { tenant, environment, fp_id } = row;
          const act = { operation: 'resolve', effect: `${id} -> ${outcome}`, reason } as const;
          acts.record(database, callOfControl(by), { tenant, environment, fp_id }, act);
          return onboardingView(resolved);
        }),

      ...forBusinessesToo({
        // Without incomplete ones (contract §10).
        'GET /users/{fp_id}/onboardings': ({ entity, query }) => {
          const place = offsetPlace(query);
          const rows = listOnboardings(queue.database, entity.id, place);
          return answer(offsetPage(rows, { ...place, view: onboardingItem }));
        },

        // A manual decision (contract §4.4); the operator is the default reviewer. Throws `invalid_request` for an
        // entity without onboarding.
        'POST /users/{fp_id}/decisions': ({ entity: reviewed, body, ...call }) => {
          requireOwnName(call, body);
          const { status, annotation, reviewer_email, hits: decision } = body;
          return doneWriting(queue, (database) => {
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
            for (const row of listAwaited(database, entity.id))
              changes.apply(database, row, settledAs(status));
            updateStatus(database, { id: entity.id, status, requires_manual_review: false, updated_at: at });
            changes.clearReview(database, newest, entity);
            const { external_id } = entity;
            events.emit(database, entity, { kind: 'user.manual_review', fp_id, members: { external_id } });
          });
        },
      }),
    } satisfies Partial<Handlers<EndpointKey>>,
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

/** A console session decides in nobody's name but its operator's (contract §11.1). Throws `permission_denied`. */
function requireOwnName(
  { caller, operator }: { readonly caller: Caller; readonly operator: string | null },
  { reviewer_email }: { readonly reviewer_email?: string | null },
): void {
  if (!caller.sessionPermissions || (reviewer_email ?? operator) === operator) return;
  throw new ServiceError(
    'permission_denied',
    'A console session decides in the name of its operator: leave out reviewer_email',
  );
}
