/**
 * Hosted flows: starts, completes and validates sessions (contract §10, §11). An entity that already meets the
 * requirements is run without a flow.
 */
import { timingSafeEqual } from 'node:crypto';
import { PLAYBOOK_KINDS, type PlaybookKind } from '../../contract/facts/onboardings.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { timestamp, type Clock } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Randomness } from '../../kernel/random.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import { callOfKey, type AccessRequest } from '../../vault/access-entry.ts';
import type { Vault } from '../../vault/vault.ts';
import { requirePermission, type Caller } from '../api-keys/index.ts';
import { getEntity, type Entities, type EntityKind, type EntityRow } from '../entities/index.ts';
import type { Owners } from '../owners/index.ts';
import type { PlaybookRow, Playbooks } from '../playbooks/index.ts';
import type { LiveSettings } from '../settings/index.ts';
import { bootstrapOf } from './bootstrap.ts';
import type { Engine } from './engine.ts';
import { requireRedirectUrl } from './redirect-url.ts';
import { findIncomplete } from './repository.ts';
import type { SessionProgress } from './session-progress.ts';
import {
  createSessionRuns,
  enteredBy,
  refuseBusinessData,
  type SessionChanges,
  type Completion,
  type Entered,
  type Files,
} from './session-runs.ts';
import {
  digestOf,
  SESSION_TTL_MS,
  TOKEN_CHARACTERS,
  type HostedLink,
  type SessionTokens,
} from './session-tokens.ts';
import {
  adoptOnboarding,
  completeSession,
  deleteAllSessions,
  findAbandoned,
  findSessionByValidation,
  markExpired,
  type SessionRow,
} from './sessions-repository.ts';
import { conflict, findParticipants, invalid, type SessionRequest } from './sessions-request.ts';
import { defined } from '../../kernel/defined.ts';

type Completed = AnswerOf<'POST /_kyclone/sessions/complete'>;
type Validated = AnswerOf<'POST /onboarding/session/validate'>;
type UserTokenRequest = RequestOf<'POST /users/{fp_id}/token'>['body'];

export interface Sessions {
  /** Throws `playbook_unknown`, `not_found`, `conflict`, `T120` or `T122`. */
  begin(caller: Caller, body: SessionRequest): Promise<HostedLink>;
  /** A flow of an existing user. Throws `playbook_unknown`, `conflict` or `T122`. */
  beginFor(caller: Caller, user: EntityRow, body: UserTokenRequest): Promise<HostedLink>;
  /** Runs an entity that meets the requirements, and stores bootstrap data; otherwise starts a session. */
  run(
    call: AccessRequest & { readonly caller: Caller },
    body: SessionRequest,
  ): Promise<AnswerOf<'POST /onboarding/session/run'>>;
  /** Completes the flow in place of the user. A failure changes nothing, and the token stays valid. */
  complete(body: Completion, from: AccessRequest): Promise<Completed>;
  /**
   * The same within a write job, with additional data from the page: the recognised user, and sealed files for the
   * user's vault.
   */
  finish(database: Database, session: SessionRow, body: Entered, given: Given): Completed;
  /** The current state; may be called repeatedly while the token is valid. */
  validate(caller: Caller, validationToken: string): Validated;
  /** Call it in the write job that moves the clock back: sessions that are expired by `now` stay expired. */
  expire(database: Database, now: number): void;
  /** Call it in the write job of a reset; returns how many there were. */
  reset(database: Database): number;
}

export interface SessionsContext {
  readonly queue: WriteQueue;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly vault: Vault;
  readonly entities: Entities;
  readonly playbooks: Playbooks;
  readonly settings: LiveSettings;
  readonly owners: Owners;
  readonly engine: Engine;
  readonly tokens: SessionTokens;
}

/** The result of a completed session, for its validation. */
interface Outcome {
  readonly auth: { readonly kind: NonNullable<Completion['auth_kind']>; readonly at: number };
  /** Ids of onboardings; absent for a flow without a run. */
  readonly user?: string;
  readonly business?: string;
  readonly fp_id: string;
}

/** Additional data from a flow's page. */
export interface Given {
  /** The user recognised by a verified contact. */
  readonly fp_id?: string | undefined;
  readonly files?: Files | undefined;
  /** The owners of the business. */
  readonly owners?: SessionProgress['owners'];
  /** The call that completes it. */
  readonly from: AccessRequest;
}

/** The result of a completed flow. */
type Played = Pick<Completed, 'user' | 'business'> & {
  readonly fp_id: string;
  readonly authKind: Outcome['auth']['kind'];
};

const VALIDATION = { prefix: 'vtok_', pattern: /^vtok_[0-9A-Za-z]{34}$/, ttlMs: 15 * 60_000 } as const;
const MINUTE_MS = 60_000;
const OF_USERS: readonly PlaybookKind[] = ['kyc', 'document'];

export function createSessions(context: SessionsContext): Sessions {
  const { queue, clock, random, vault, playbooks, settings, engine, tokens } = context;
  const runs = createSessionRuns(context);

  return {
    begin: (caller, body) => queue.write((database) => beginWithin(database, caller, body)),

    beginFor: (caller, { fp_id }, body) =>
      queue.write((database) => {
        const user = getEntity(database, caller, fp_id, 'user');
        const { kind, key, allow_reonboard } = body;
        // It stores a new e-mail address or phone number over an earlier one.
        if (kind === 'update_auth_methods') requirePermission(caller, 'vault.write');
        const ttlMs = body.ttl_min === undefined ? SESSION_TTL_MS : body.ttl_min * MINUTE_MS;
        if (kind === 'onboard') {
          if (key === undefined)
            throw invalid('key is missing: a token of kind onboard needs the key of a playbook');
          const playbook = playbooks.require(database, caller, key, OF_USERS);
          const request = { key, fp_id, ...defined({ allow_reonboard }) };
          const onboarding = openFor(database, user, { playbook, request });
          const participants = { user, business: undefined };
          return tokens.issue(database, caller, {
            request,
            playbookKey: key,
            onboarding,
            participants,
            ttlMs,
          });
        }
        if (key !== undefined) throw invalid(`key must be absent: a token of kind ${kind} has no playbook`);
        if (allow_reonboard !== undefined) {
          throw invalid(`allow_reonboard must be absent: a token of kind ${kind} starts no onboarding`);
        }
        const onboarding = kind === 'inherit' ? (findIncomplete(database, user.id) ?? null) : null;
        if (kind === 'inherit' && onboarding === null) {
          throw conflict('The user has no incomplete onboarding to continue');
        }
        return tokens.issue(database, caller, {
          request: { flow: kind, fp_id },
          playbookKey: onboarding === null ? null : (engine.view(database, onboarding)?.playbook_key ?? null),
          onboarding,
          participants: { user, business: undefined },
          ttlMs,
        });
      }),

    async run(call, body) {
      if ([body.fp_id, body.user_external_id, body.business_external_id].every((id) => id === undefined)) {
        throw invalid('The run needs an entity: fp_id, user_external_id or business_external_id');
      }
      try {
        const results = await queue.write((database) => runWithin(database, call, body));
        if (results) return results;
      } catch (error) {
        if (!(error instanceof ServiceError && error.code === 'T121')) throw error;
      }
      return {
        continue_onboarding: await queue.write((database) => beginWithin(database, call.caller, body)),
      };
    },

    complete: (body, from) =>
      queue.write((database) => finish(database, tokens.open(database, body.token), body, { from })),
    finish,

    validate(caller, validationToken) {
      const { auth, fp_id, user, business } = validatedOutcome(caller, validationToken);
      const resultOf = (id: string) => engine.resultOf(queue.database, caller, id);
      return {
        user_auth: { fp_id, auth_events: [{ kind: auth.kind, timestamp: timestamp(auth.at) }] },
        ...(user !== undefined && { user: resultOf(user) }),
        ...(business !== undefined && { business: resultOf(business) }),
      };
    },

    expire: markExpired,
    reset: deleteAllSessions,
  };

  function finish(database: Database, session: SessionRow, body: Entered, given: Given): Completed {
    const { fp_id, authKind, ...results } = play(database, session, body, given);
    const validation_token = VALIDATION.prefix + random.secretText(TOKEN_CHARACTERS);
    const at = clock.now();
    const { user, business } = results;
    const outcome: Outcome = {
      auth: { kind: authKind, at },
      fp_id,
      ...(user && { user: user.onboarding_id }),
      ...(business && { business: business.onboarding_id }),
    };
    completeSession(database, session, {
      playbook_key: user?.playbook_key ?? null,
      fp_id,
      fp_bid: business?.fp_id ?? null,
      completed_at: at,
      validation_digest: digestOf(validation_token),
      validation_expires_at: at + VALIDATION.ttlMs,
      outcome: JSON.stringify(outcome),
    });
    return { validation_token, ...results };
  }

  function beginWithin(database: Database, caller: Caller, request: SessionRequest): HostedLink {
    const { playbook, participants } = judged(database, caller, request);
    const onboarded = participants[playbook.kind === 'kyb' ? 'business' : 'user'];
    return tokens.issue(database, caller, {
      request,
      participants,
      playbookKey: playbook.key,
      ttlMs: SESSION_TTL_MS,
      onboarding: onboarded ? openFor(database, onboarded, { playbook, request }) : null,
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
    return runs.play(database, caller, {
      playbook,
      request,
      entered: enteredBy({}),
      fixture: undefined,
      hasPerson: false,
      by: caller,
      call,
      opened: (known && adopted(database, known, { playbook, request })) ?? null,
      delayMs: playbook.delay_ms,
    });
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
   * The incomplete onboarding of an entity that is known at the start of the session, so that its uploads belong to it.
   */
  function openFor(
    database: Database,
    entity: EntityRow,
    of: { playbook: PlaybookRow; request: SessionRequest },
  ): string {
    const { playbook, request } = of;
    const onboardingExternalId = request.onboarding_external_id ?? null;
    const abandoned = adopted(database, entity, of);
    if (request.allow_reonboard !== true) engine.requireNotOnboarded(database, entity, playbook, abandoned);
    return abandoned ?? engine.open(database, { entity, playbook, onboardingExternalId, isOwnerRun: false });
  }

  /** The incomplete onboarding left by earlier sessions, under the external id of this one. */
  function adopted(
    database: Database,
    { id }: EntityRow,
    { playbook, request }: { playbook: PlaybookRow; request: SessionRequest },
  ): string | undefined {
    const at = { entity: id, playbook_key: playbook.key, now: clock.now() };
    const abandoned = findAbandoned(database, at);
    if (abandoned !== undefined) {
      adoptOnboarding(database, abandoned, request.onboarding_external_id ?? null);
    }
    return abandoned;
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
    const { progress: _progress, api_key: _key, ...request } = stored;
    if (request.flow !== undefined) {
      const { fp_id, flow } = request;
      const user = getEntity(database, session, fp_id, 'user');
      if (flow === 'update_auth_methods') {
        return { fp_id, authKind: runs.updateAuthMethod(database, user, body, by) };
      }
      if (session.onboarding === null) throw conflict('The onboarding of the session is gone');
      const run = runs.goOn(database, user, session.onboarding, { ...body, files, by, call });
      return { fp_id, authKind: body.auth_kind ?? 'sms', user: run };
    }
    const playbook = playbooks.require(database, session, request.key, PLAYBOOK_KINDS);
    if (playbook.kind !== 'kyb') refuseBusinessData(body);
    const { user, business } = runs.play(database, session, {
      playbook,
      entered: enteredBy(body),
      fixture: body.fixture_result,
      hasPerson: true,
      files,
      owners,
      by,
      call,
      request: recognised === undefined ? request : { ...request, fp_id: recognised },
      opened: session.onboarding,
      delayMs: playbook.session_delay_ms,
    });
    if (!user) throw new Error('somebody went through the flow, and no user was run');
    return { fp_id: user.fp_id, authKind: body.auth_kind ?? 'sms', user, ...defined({ business }) };
  }

  function validatedOutcome(caller: Caller, token: string): Outcome {
    const session = VALIDATION.pattern.test(token)
      ? findSessionByValidation(queue.database, digestOf(token))
      : undefined;
    const { validation_digest: digest, validation_expires_at: until, outcome } = session ?? {};
    const isKnown = digest && session?.space === caller.space && timingSafeEqual(digest, digestOf(token));
    if (!isKnown || typeof outcome !== 'string') {
      throw invalid('No onboarding of this tenant and environment ended with this validation_token');
    }
    if (clock.now() >= (until ?? 0))
      throw invalid('validation_token has expired: it is valid for 15 minutes');
    return JSON.parse(outcome) as Outcome;
  }
}
