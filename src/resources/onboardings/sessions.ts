/**
 * Hosted onboardings: a session is begun, played to its end, and validated (contract §10, §11). Tokens are stored as
 * SHA-256 only, and what a session was begun with is sealed until its data is in the vaults.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { PLAYBOOK_KINDS } from '../../contract/shapes.ts';
import { timestamp, type Clock } from '../../kernel/clock.ts';
import type { JsonValue } from '../../kernel/json.ts';
import type { Randomness } from '../../kernel/random.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import { requireKnownIdentifiers } from '../../vault/identifiers/index.ts';
import type { PrivateValues } from '../../vault/private-values.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Caller, Space } from '../api-keys/index.ts';
import { changesOf, getEntity, type Entities, type EntityKind, type EntityRow } from '../entities/index.ts';
import type { PlaybookRow, Playbooks } from '../playbooks/index.ts';
import { bootstrapOf } from './bootstrap.ts';
import type { Engine, NewRun } from './engine.ts';
import { conflict, findParticipants, invalid } from './sessions-request.ts';
import {
  adoptOnboarding,
  completeSession,
  deleteAllSessions,
  findAbandoned,
  findSession,
  findSessionByValidation,
  forgetRequestsExpiredBefore,
  forgetRequestsOf,
  insertSession,
  markExpired,
  type SessionRow,
} from './sessions-repository.ts';

type SessionRequest = RequestOf<'POST /onboarding/session'>['body'];
type Completion = RequestOf<'POST /_kyclone/sessions/complete'>['body'];
type Completed = AnswerOf<'POST /_kyclone/sessions/complete'>;
type Validated = AnswerOf<'POST /onboarding/session/validate'>;
type Changes = ReadonlyMap<string, JsonValue>;

export interface Sessions {
  /** Throws `playbook_unknown`, `not_found`, `conflict`, `T120` or `T122`. */
  begin(caller: Caller, body: SessionRequest): Promise<AnswerOf<'POST /onboarding/session'>>;
  /** Plays the user to the end of the flow. What fails changes nothing, and the token stays usable. */
  complete(body: Completion): Promise<Completed>;
  /** As things are now; as often as wanted while the token lasts. */
  validate(caller: Caller, validationToken: string): Validated;
  /** In the write job that moves the clock back: what is expired by `now` stays so. */
  expire(database: Database, now: number): void;
  /** In the write job that deletes the entity of this row id: what sessions were to store of it goes along. */
  forget(database: Database, entity: number): void;
  /** In the write job of a reset; answers how many there were. */
  reset(database: Database): number;
}

export interface SessionsContext {
  readonly queue: WriteQueue;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly vault: Vault;
  readonly entities: Entities;
  readonly playbooks: Playbooks;
  readonly engine: Engine;
  readonly privateValues: PrivateValues;
  /** Where the instance listens, for the link. */
  readonly baseUrl: () => string;
}

/** What a completed session came to, for its validation. */
interface Outcome {
  readonly auth: { readonly kind: NonNullable<Completion['auth_kind']>; readonly at: number };
  /** Ids of onboardings. */
  readonly user: string;
  readonly business?: string;
  readonly fp_id: string;
}

const TOKEN = { prefix: 'obtok_', pattern: /^obtok_[0-9A-Za-z]{34}$/, ttlMs: 60 * 60_000 } as const;
const VALIDATION = { prefix: 'vtok_', pattern: /^vtok_[0-9A-Za-z]{34}$/, ttlMs: 15 * 60_000 } as const;
const TOKEN_CHARACTERS = 34;

export function createSessions(context: SessionsContext): Sessions {
  const { queue, clock, random, vault, entities, playbooks, engine, privateValues, baseUrl } = context;

  return {
    begin: (caller, body) =>
      queue.write((database) => {
        const playbook = playbooks.require(database, caller, body.key, PLAYBOOK_KINDS);
        const parts = bootstrapOf(body, playbook);
        const known = findParticipants(database, caller, body);
        requireValid(database, caller, { kind: 'user', known: known.user, changes: parts.user });
        requireValid(database, caller, { kind: 'business', known: known.business, changes: parts.business });
        const onboarded = playbook.kind === 'kyb' ? known.business : known.user;
        const onboarding = onboarded ? openFor(database, onboarded, { playbook, body }) : null;

        const token = TOKEN.prefix + random.secretText(TOKEN_CHARACTERS);
        const digest = digestOf(token);
        const created_at = clock.now();
        const expires_at = created_at + TOKEN.ttlMs;
        const sealed_request = privateValues.seal(
          'session request',
          digest.toString('hex'),
          JSON.stringify(body),
        );
        const { space, tenant, environment } = caller;
        const user = body.fp_id === undefined ? null : (known.user?.id ?? null);
        forgetRequestsExpiredBefore(database, created_at);
        insertSession(database, {
          ...{ space, tenant, environment, digest, sealed_request },
          ...{ onboarding, user, created_at, expires_at },
        });
        return { token, link: `${baseUrl()}/onboarding#${token}`, expires_at: timestamp(expires_at) };
      }),

    complete: (body) =>
      queue.write((database) => {
        const session = usableSession(database, body.token);
        const request = requestOf(session);
        const playbook = playbooks.require(database, session, request.key, PLAYBOOK_KINDS);
        const runs = play(database, session, { playbook, request, body });
        const validation_token = VALIDATION.prefix + random.secretText(TOKEN_CHARACTERS);
        const at = clock.now();
        const outcome: Outcome = {
          auth: { kind: body.auth_kind ?? 'sms', at },
          fp_id: runs.user.fp_id,
          user: runs.user.onboarding_id,
          ...(runs.business && { business: runs.business.onboarding_id }),
        };
        completeSession(database, session, {
          completed_at: at,
          validation_digest: digestOf(validation_token),
          validation_expires_at: at + VALIDATION.ttlMs,
          outcome: JSON.stringify(outcome),
        });
        return { validation_token, ...runs };
      }),

    validate(caller, validationToken) {
      const outcome = validatedOutcome(caller, validationToken);
      const { auth, fp_id, user, business } = outcome;
      const resultOf = (id: string) => engine.resultOf(queue.database, caller, id);
      return {
        user_auth: { fp_id, auth_events: [{ kind: auth.kind, timestamp: timestamp(auth.at) }] },
        user: resultOf(user),
        ...(business !== undefined && { business: resultOf(business) }),
      };
    },

    expire: markExpired,
    forget: forgetRequestsOf,
    reset: deleteAllSessions,
  };

  /** The incomplete onboarding of an entity that is known when the session begins: what it uploads belongs to it. */
  function openFor(
    database: Database,
    entity: EntityRow,
    { playbook, body }: { playbook: PlaybookRow; body: SessionRequest },
  ): string {
    const abandoned = findAbandoned(database, {
      entity: entity.id,
      playbook_key: playbook.key,
      now: clock.now(),
    });
    if (body.allow_reonboard !== true) engine.requireNotOnboarded(database, entity, playbook, abandoned);
    const onboardingExternalId = body.onboarding_external_id ?? null;
    if (abandoned === undefined) {
      return engine.open(database, { entity, playbook, onboardingExternalId, isOwnerRun: false });
    }
    adoptOnboarding(database, abandoned, onboardingExternalId);
    return abandoned;
  }

  /** Throws `T120` for data that the entity, or a new one, couldn't store; stores nothing. */
  function requireValid(
    database: Database,
    { tenant, environment }: Space,
    { kind, known, changes }: { kind: EntityKind; known: EntityRow | undefined; changes: Changes },
  ): void {
    if (known) vault.validate(database, known, { changes, skipLuhn: false });
    else vault.draft({ fp_id: '', kind, tenant, environment }, { changes, skipLuhn: false });
  }

  function usableSession(database: Database, token: string): SessionRow {
    const session = TOKEN.pattern.test(token) ? findSession(database, digestOf(token)) : undefined;
    if (!session || !timingSafeEqual(session.digest, digestOf(token))) {
      throw invalid('token is not the token of an onboarding session');
    }
    if (session.completed_at !== null) throw conflict('The onboarding session is completed already');
    if (session.has_expired === 1 || clock.now() >= session.expires_at) {
      throw invalid('The onboarding session of this token has expired: start another');
    }
    return session;
  }

  function requestOf({ digest, sealed_request }: SessionRow): SessionRequest {
    if (sealed_request.length === 0) throw conflict('The user of the onboarding session was deleted');
    const id = Buffer.from(digest).toString('hex');
    return JSON.parse(privateValues.open('session request', id, sealed_request)) as SessionRequest;
  }

  /** Creates who isn't there yet, stores what was entered, and runs the user, or the business and its owner. */
  function play(
    database: Database,
    session: SessionRow,
    { playbook, request, body }: { playbook: PlaybookRow; request: SessionRequest; body: Completion },
  ): Pick<Completed, 'user' | 'business'> {
    const isKyb = playbook.kind === 'kyb';
    if (body.business_data !== undefined && !isKyb) throw invalid('business_data is for kyb playbooks only');
    const bootstrap = bootstrapOf(request, playbook);
    const entered = { user: changesOf(body.data), business: changesOf(body.business_data) };
    requireKnownIdentifiers([...entered.user.keys(), ...entered.business.keys()]);
    const known = findParticipants(database, session, request);
    const participant = (kind: EntityKind) =>
      store(
        database,
        known[kind] ??
          entities.createWithin(database, session, { kind, externalId: request[`${kind}_external_id`] }),
        new Map([...bootstrap[kind], ...entered[kind]]),
      );
    const run = {
      playbook,
      fixture: body.fixture_result,
      onboardingExternalId: request.onboarding_external_id ?? null,
    };
    const user = participant('user');
    const main = { ...run, delayMs: playbook.session_delay_ms, isOwnerRun: false };
    if (!isKyb) return { user: startMain(database, session, { ...main, entity: user }, request) };
    // The business first: a rule that counts down is there for it rather than for its owner.
    const business = startMain(database, session, { ...main, entity: participant('business') }, request);
    const owner = engine.start(database, { ...run, entity: user, delayMs: 0, isOwnerRun: true });
    return { user: owner, business };
  }

  function store(database: Database, entity: EntityRow, changes: Changes): EntityRow {
    if (changes.size === 0) return entity;
    vault.write(database, entity, { changes, skipLuhn: false });
    return getEntity(database, entity, entity.fp_id, entity.kind);
  }

  function startMain(database: Database, { onboarding }: SessionRow, run: NewRun, request: SessionRequest) {
    const { entity, playbook } = run;
    // Opened for somebody who was deleted since, it is nobody's.
    const isOpened = onboarding !== null && engine.view(database, onboarding)?.fp_id === entity.fp_id;
    const opened = isOpened ? onboarding : undefined;
    if (request.allow_reonboard !== true) engine.requireNotOnboarded(database, entity, playbook, opened);
    engine.requireReady(database, entity, playbook, 'hosted');
    return engine.start(database, { ...run, opened });
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

function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
