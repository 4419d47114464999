/**
 * Hosted flows: starts, completes and validates sessions (contract §10, §11). An entity that already meets the
 * requirements is run without a flow.
 */
import { PLAYBOOK_KINDS } from '../facts.ts';
import type { AnswerOf, EndpointKey } from '../../../contract/registry.ts';
import { timestamp } from '../../../kernel/time/clock.ts';
import { ServiceError, invalid, conflict } from '../../../kernel/errors.ts';
import type { Database } from '../../../storage/database.ts';
import { callOfKey, type AccessRequest } from '../../../vault/access-entry.ts';
import type { Caller } from '../../api-keys/service/index.ts';
import { getEntity, type Entities, type EntityKind, type EntityRow } from '../../entities/service/index.ts';
import { answer, linkByHost, type Handlers, written } from '../../handlers.ts';
import type { InfoRequests } from '../../info-requests/service.ts';
import type { Owners } from '../../owners/service.ts';
import type { PlaybookRow, Playbooks } from '../../playbooks/service.ts';
import type { LiveSettings } from '../../settings/service.ts';
import { bootstrapOf } from './bootstrap.ts';
import type { Engine } from './engine.ts';
import { findStanding, type OnboardingRow } from './repository.ts';
import { createSessionEnds, type Played } from './session-ends.ts';
import {
  createSessionRuns,
  enteredBy,
  refuseBusinessData,
  type SessionChanges,
  type Entered,
  type Files,
} from './session-runs.ts';
import { SESSION_TTL_MS, type HostedLink, type SessionTokens, userFlowOf } from './session-tokens.ts';
import {
  deleteAllSessions,
  joinSession,
  markExpired,
  type SessionRow,
  adoptOnboarding,
  isUnderWay,
} from './sessions-repository.ts';
import {
  findParticipants,
  requireRedirectUrl,
  type GivenOwners,
  type SessionRequest,
  type OnboardingRequest,
} from './sessions-request.ts';
import { defined } from '../../../kernel/defined.ts';
import type { Needs } from '../../needs.ts';

type Completed = AnswerOf<'POST /_kyclone/sessions/complete'>;

export type Sessions = ReturnType<typeof createSessions>;

export interface SessionsContext extends Needs<'queue' | 'clock' | 'random' | 'vault'> {
  readonly entities: Entities;
  readonly playbooks: Playbooks;
  readonly settings: LiveSettings;
  readonly owners: Owners;
  readonly engine: Engine;
  readonly tokens: SessionTokens;
  readonly infoRequests: Pick<InfoRequests, 'asked' | 'close'>;
}

/** Additional data from a flow's page. */
export interface Given {
  /** The user recognised by a verified contact. */
  readonly fp_id?: string | undefined;
  readonly files?: Files | undefined;
  readonly owners?: GivenOwners | undefined;
  /** The call that completes it. */
  readonly from: AccessRequest;
}

export function createSessions(context: SessionsContext) {
  const { queue, clock, vault, playbooks, settings, engine, tokens, infoRequests } = context;
  const runs = createSessionRuns(context);
  const ends = createSessionEnds(context);

  return {
    begin,
    /**
     * In a write job: the entity of an identified person takes up its onboarding, or begins one. With a finished one that
     * the flow may not repeat, that one stands.
     */
    join,

    /**
     * Completes the flow in a write job: a run that steps up, now or after its delay, leaves the flow open for its
     * document (contract §14), with the stored data; undefined then.
     */
    finishOrStepUp(
      database: Database,
      session: SessionRow,
      body: Entered,
      given: Given,
    ): Completed | undefined {
      const played = play(database, session, body, given);
      const { user, business, fp_id } = played;
      if (business || !user || !engine.waitsForDocument(database, user.onboarding_id))
        return ends.end(database, session, played);
      joinSession(database, session, { onboarding: user.onboarding_id, fp_id });
      return undefined;
    },

    /** Call it in the write job that moves the clock back: sessions that are expired by `now` stay expired. */
    expire: markExpired,
    /** Call it in the write job of a reset; returns how many there were. */
    reset: deleteAllSessions,

    handlers: {
      'POST /onboarding/session': async (request) =>
        answer(linkByHost(request, await begin(request.caller, request.body))),

      // Runs an entity that meets the requirements, and stores bootstrap data; otherwise starts a session.
      async 'POST /onboarding/session/run'(request) {
        const { caller, body } = request;
        if ([body.fp_id, body.user_external_id, body.business_external_id].every((id) => id === undefined)) {
          throw invalid('The run needs an entity: fp_id, user_external_id or business_external_id');
        }
        try {
          const results = await queue.write((database) => runWithin(database, request, body));
          if (results) return answer(results);
        } catch (error) {
          if (!(error instanceof ServiceError && error.code === 'T121')) throw error;
        }
        return answer({ continue_onboarding: linkByHost(request, await begin(caller, body)) });
      },

      // A flow of an existing user. Throws `playbook_unknown`, `not_found` or `conflict`.
      async 'POST /users/{fp_id}/token'(request) {
        const { caller, entity, body } = request;
        const link = await queue.write((database) => {
          const user = getEntity(database, caller, entity.fp_id, 'user');
          const flow = userFlowOf(database, caller, { user, body, playbooks, owners: context.owners });
          return tokens.issue(database, caller, flow);
        });
        return answer(linkByHost(request, link));
      },

      // The current state; may be called repeatedly while the token is valid.
      'POST /onboarding/session/validate': ({ caller, body: { validation_token } }) => {
        const { auth, fp_id, user, business } = ends.outcomeOf(caller, validation_token);
        const resultOf = (id: string | undefined) =>
          id === undefined ? undefined : engine.resultOf(queue.database, caller, id);
        return answer({
          user_auth: { fp_id, auth_events: [{ kind: auth.kind, timestamp: timestamp(auth.at) }] },
          ...defined({ user: resultOf(user), business: resultOf(business) }),
        });
      },

      // Completes the flow in place of the user. A failure changes nothing, and the token stays valid.
      'POST /_kyclone/sessions/complete': ({ body, ...from }) =>
        written(queue, (database) => {
          const session = tokens.open(database, body.token);
          const { flow, progress } = tokens.requestOf(session);
          if (progress?.verifiedBy === undefined) return finish(database, session, body, { from });
          // What the person verified in the page, unless they were recognised by it.
          const { contact, verifiedBy, fp_id } = progress;
          const isKept = contact && fp_id === undefined && (flow !== 'update_auth_methods' || !body.data);
          const data = isKept ? { [contact.identifier]: contact.value, ...body.data } : body.data;
          const entered = { auth_kind: verifiedBy, ...body, ...defined({ data }) };
          return finish(database, session, entered, { fp_id, from });
        }),
    } satisfies Partial<Handlers<EndpointKey>>,
  };

  /** Throws `playbook_unknown`, `not_found`, `conflict` or `T120`. A link changes nothing about its entities. */
  function begin(caller: Caller, request: SessionRequest): Promise<HostedLink> {
    return queue.write((database) => {
      const { playbook, participants } = judged(database, caller, request);
      return tokens.issue(database, caller, {
        request,
        participants,
        playbookKey: playbook.key,
        ttlMs: SESSION_TTL_MS,
        onboarding: null,
      });
    });
  }

  function finish(database: Database, session: SessionRow, body: Entered, given: Given): Completed {
    return ends.end(database, session, play(database, session, body, given));
  }

  function join(
    database: Database,
    session: SessionRow,
    { entity, playbook }: { entity: EntityRow; playbook: PlaybookRow },
  ): void {
    const request = tokens.requestOf(session);
    if (request.flow !== undefined || session.onboarding !== null) return;
    const onboarding =
      takenUp(database, entity, { playbook, request }) ??
      engine.open(database, {
        entity,
        playbook,
        onboardingExternalId: request.onboarding_external_id ?? null,
        isOwnerRun: false,
      });
    joinSession(database, session, {
      onboarding,
      ...(entity.kind === 'user' ? { fp_id: entity.fp_id } : { fp_bid: entity.fp_id }),
    });
  }

  /** Undefined when a person must complete the flow in any case, because it asks for owners. */
  function runWithin(
    database: Database,
    call: AccessRequest & { readonly caller: Caller },
    request: SessionRequest,
  ) {
    const { caller } = call;
    const { playbook, participants } = judged(database, caller, request);
    if (playbook.collects_owners) return undefined;
    const known = participants[playbook.kind === 'kyb' ? 'business' : 'user'];
    const { user, business } = runs.play(database, caller, {
      playbook,
      request,
      entered: enteredBy({}),
      fixture: undefined,
      hasPerson: false,
      by: caller,
      call,
      opened: (known && abandoned(database, known, { playbook, request, now: clock.now() })) ?? null,
      delayMs: playbook.delay_ms,
    });
    return defined({ user, business });
  }

  /** Throws for a request that can't succeed; stores nothing. */
  function judged(database: Database, caller: Caller, request: SessionRequest) {
    if (request.redirect_url !== undefined) {
      requireRedirectUrl(request.redirect_url, settings.current.cors.origins);
    }
    const playbook = playbooks.require(database, caller, request.key, PLAYBOOK_KINDS);
    const parts = bootstrapOf(request, playbook);
    const participants = findParticipants(database, caller, request);
    for (const kind of ['user', 'business'] as const) {
      requireValid(database, caller, { kind, known: participants[kind], changes: parts[kind] });
    }
    return { playbook, participants };
  }

  /**
   * Throws `T120` for data that the entity, or a new one, couldn't store, and `permission_denied` for data that the key
   * may not replace; stores nothing.
   */
  function requireValid(
    database: Database,
    caller: Caller,
    { kind, known, changes }: { kind: EntityKind; known: EntityRow | undefined; changes: SessionChanges },
  ): void {
    const { tenant, environment } = caller;
    if (known) vault.validate(database, known, { changes, skipLuhn: false, by: caller });
    else vault.draft({ fp_id: '', kind, tenant, environment }, { changes, skipLuhn: false });
  }

  function play(
    database: Database,
    session: SessionRow,
    body: Entered,
    { fp_id: recognised, files, owners, from }: Given,
  ): Played {
    const stored = tokens.requestOf(session);
    const by = tokens.writerOf(database, session);
    const call = callOfKey(by.id, from);
    const { progress: _progress, api_key: _key, session_permissions: _permissions, ...request } = stored;
    if (request.flow !== undefined) {
      const { fp_id, flow } = request;
      const user = getEntity(database, session, fp_id, 'user');
      const authKind = body.auth_kind ?? 'sms';
      if (flow === 'update_auth_methods') {
        const isPasskey = authKind === 'passkey' && Object.keys(body.data ?? {}).length === 0;
        return { fp_id, authKind: isPasskey ? authKind : runs.updateAuthMethod(database, user, body, by) };
      }
      if (flow !== 'inherit' || infoRequests.asked(database, user)) {
        give(database, user, body, { files, by });
        const { onboarding } = session;
        return {
          fp_id,
          authKind,
          ...(onboarding !== null && { user: engine.resultOf(database, session, onboarding) }),
        };
      }
      if (session.onboarding === null) throw conflict('The onboarding of the session is gone');
      refuseBusinessData(body);
      const changes = enteredBy(body).user;
      const given = { changes, fixture: body.fixture_result, files, by, call };
      const run = runs.goOn(database, user, session.onboarding, given);
      return { fp_id, authKind, user: run };
    }
    const playbook = playbooks.require(database, session, request.key, PLAYBOOK_KINDS);
    if (playbook.kind !== 'kyb') refuseBusinessData(body);
    const wanted = recognised === undefined ? request : { ...request, fp_id: recognised };
    const known = findParticipants(database, session, wanted);
    const main = known[playbook.kind === 'kyb' ? 'business' : 'user'];
    if (known.user && infoRequests.asked(database, known.user)) {
      give(database, known.user, body, { files, by });
      const stands = main && findStanding(database, { entity: main.id, playbook_key: playbook.key }, false);
      return {
        fp_id: known.user.fp_id,
        authKind: body.auth_kind ?? 'sms',
        ...(stands && { [main.kind]: engine.resultOf(database, session, stands.id) }),
      };
    }
    const opened = session.onboarding ?? (main && takenUp(database, main, { playbook, request })) ?? null;
    const { person, user, business } = runs.play(database, session, {
      playbook,
      entered: enteredBy(body),
      fixture: body.fixture_result,
      hasPerson: true,
      files,
      owners,
      by,
      call,
      request: wanted,
      opened,
      delayMs: playbook.session_delay_ms,
    });
    if (!person) throw new Error('somebody went through the flow, and there is no user');
    return { fp_id: person.fp_id, authKind: body.auth_kind ?? 'sms', ...defined({ user, business }) };
  }

  /** Stores what somebody has asked the user for, and runs nothing. Throws `T121` for what is missing. */
  function give(
    database: Database,
    user: EntityRow,
    body: Entered,
    given: Parameters<typeof runs.keep>[3],
  ): void {
    runs.keep(database, user, body, given);
    infoRequests.close(database, getEntity(database, user, user.fp_id), vault);
  }
}

// Finds the onboarding that a flow continues, or whose result the flow returns (contract §14). Call it within a write
// job.

interface Flow {
  readonly playbook: PlaybookRow;
  readonly request: OnboardingRequest;
}

/** The onboarding that the flow goes on with, or whose result stands for it. */
function takenUp(database: Database, { id }: EntityRow, { playbook, request }: Flow): string | undefined {
  const at = { entity: id, playbook_key: playbook.key };
  return adopted(database, findStanding(database, at, request.allow_reonboard === true), request);
}

/** The incomplete onboarding of flows that are over, for a run without a flow. */
function abandoned(
  database: Database,
  { id }: EntityRow,
  { playbook, request, now }: Flow & { readonly now: number },
): string | undefined {
  const left = findStanding(database, { entity: id, playbook_key: playbook.key }, true);
  const isHeld = left !== undefined && isUnderWay(database, { onboarding: left.id, now });
  return isHeld ? undefined : adopted(database, left, request);
}

/** Returns the id. One that is incomplete gets the external id of the request that goes on with it. */
function adopted(
  database: Database,
  onboarding: OnboardingRow | undefined,
  request: OnboardingRequest,
): string | undefined {
  if (onboarding?.status === 'incomplete') {
    adoptOnboarding(database, onboarding.id, request.onboarding_external_id ?? null);
  }
  return onboarding?.id;
}
