/**
 * Completes a hosted flow: creates missing entities, stores the entered data, and runs the user, or the business and
 * its owner (contract §4.2, §10). Everything here must be called within a write job.
 */
import { type Outcome, PLAYBOOK_KINDS } from '../../contract/facts/onboardings.ts';
import type { RequestOf } from '../../contract/registry.ts';
import type { JsonValue } from '../../kernel/json.ts';
import type { Database } from '../../storage/database.ts';
import { requireKnownIdentifiers } from '../../vault/identifiers/index.ts';
import type { StoredFile } from '../../vault/files/index.ts';
import type { AccessCall } from '../../vault/access-entry.ts';
import { denial, type Writer } from '../../vault/rights.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Space } from '../api-keys/index.ts';
import { changesOf, getEntity, type Entities, type EntityKind, type EntityRow } from '../entities/index.ts';
import type { Owners } from '../owners/index.ts';
import type { PlaybookRow, Playbooks } from '../playbooks/index.ts';
import { bootstrapOf } from './bootstrap.ts';
import type { Engine, NewRun } from './engine.ts';
import { createSessionOwners } from './session-owners.ts';
import type { SessionProgress } from './session-progress.ts';
import { conflict, findParticipants, invalid, type SessionRequest } from './sessions-request.ts';
import type { RunResult } from './views.ts';

export type Completion = RequestOf<'POST /_kyclone/sessions/complete'>['body'];
/** The result of a flow, without its token. */
export type Entered = Omit<Completion, 'token'>;
export type SessionChanges = ReadonlyMap<string, JsonValue>;

/** An onboarding that is run to its outcome. */
export interface SessionFlow {
  readonly playbook: PlaybookRow;
  readonly request: SessionRequest;
  /** Overrides bootstrap data. */
  readonly entered: { readonly user: SessionChanges; readonly business: SessionChanges };
  readonly fixture: Outcome | undefined;
  /** The incomplete onboarding to continue, unless it now belongs to another entity. */
  readonly opened: string | null;
  /** Milliseconds until the outcome. */
  readonly delayMs: number;
  /** Whether a person completes the flow; otherwise a business may be run alone. */
  readonly hasPerson: boolean;
  /** Sealed files for the user's vault, by canonical identifier. */
  readonly files?: Files | undefined;
  /** The owners of the business. */
  readonly owners?: SessionProgress['owners'] | undefined;
  /** The key that started it. */
  readonly by: Writer;
  /** The call that runs it, for the access log. */
  readonly call: AccessCall;
}

export type Files = ReadonlyMap<string, StoredFile>;

export interface SessionRuns {
  /** Throws the errors of a run: `T120`, `T121`, `T122`. */
  play(
    database: Database,
    space: Space,
    flow: SessionFlow,
  ): { readonly user?: RunResult; readonly business?: RunResult };
  /** Continues the incomplete onboarding of a user; one that has ended in the meantime is returned as it is. */
  goOn(
    database: Database,
    user: EntityRow,
    onboarding: string,
    given: Entered & Pick<SessionFlow, 'files' | 'by' | 'call'>,
  ): RunResult;
  /**
   * Stores the new e-mail address or phone number; returns how it was verified. Throws `permission_denied` when the key
   * may not write it any more.
   */
  updateAuthMethod(database: Database, user: EntityRow, body: Entered, by: Writer): 'email' | 'sms';
}

const NO_FILES: Files = new Map();
const AUTH_METHODS = { 'id.email': 'email', 'id.phone_number': 'sms' } as const;

export function createSessionRuns(context: {
  readonly vault: Vault;
  readonly entities: Entities;
  readonly playbooks: Playbooks;
  readonly owners: Owners;
  readonly engine: Engine;
}): SessionRuns {
  const { vault, entities, playbooks, engine } = context;
  const runOwners = createSessionOwners(context);

  return {
    play(database, space, flow) {
      const { playbook, request, entered, fixture } = flow;
      const isKyb = playbook.kind === 'kyb';
      const bootstrap = bootstrapOf(request, playbook);
      requireKnownIdentifiers([...entered.user.keys(), ...entered.business.keys()]);
      const known = findParticipants(database, space, request);
      const participant = (kind: EntityKind) =>
        store(
          database,
          known[kind] ??
            entities.createWithin(database, space, { kind, externalId: request[`${kind}_external_id`] }),
          new Map([...bootstrap[kind], ...entered[kind]]),
          { files: kind === 'user' ? flow.files : undefined, by: flow.by },
        );
      const { call } = flow;
      const run = { playbook, fixture, call, onboardingExternalId: request.onboarding_external_id ?? null };
      const main = { ...run, delayMs: flow.delayMs, isOwnerRun: false };
      const isNamed = request.fp_id !== undefined || request.user_external_id !== undefined;
      const user = !isKyb || flow.hasPerson || isNamed ? participant('user') : undefined;
      if (!isKyb && user) return { user: startMain(database, flow, { ...main, entity: user }) };
      if (user && flow.owners)
        return withOwners(database, flow, { ...main, entity: participant('business') }, user);
      // The business first, so that a rule with a count applies to it rather than to its owner.
      const business = startMain(database, flow, { ...main, entity: participant('business') });
      if (!user) return { business };
      return {
        user: engine.start(database, { ...run, entity: user, delayMs: 0, isOwnerRun: true }),
        business,
      };
    },

    goOn(database, user, onboarding, body) {
      refuseBusinessData(body);
      const entity = store(database, user, enteredBy(body).user, body);
      const before = engine.view(database, onboarding);
      if (before?.fp_id !== user.fp_id) throw conflict('The onboarding of the session is gone');
      if (before.completed_at !== null && body.fixture_result === undefined) {
        return engine.resultOf(database, user, onboarding);
      }
      const playbook = playbooks.require(database, user, before.playbook_key, PLAYBOOK_KINDS);
      return engine.goOn(database, {
        entity,
        playbook,
        fixture: body.fixture_result,
        opened: onboarding,
        onboardingExternalId: before.onboarding_external_id,
        delayMs: playbook.session_delay_ms,
        isOwnerRun: false,
        call: body.call,
      });
    },

    updateAuthMethod(database, user, body, by) {
      refuseBusinessData(body);
      if (body.fixture_result !== undefined) {
        throw invalid(
          'fixture_result must be absent: a session of kind update_auth_methods runs no playbook',
        );
      }
      const { user: changes } = enteredBy(body);
      const [[identifier, value] = [], ...others] = changes;
      const kind = AUTH_METHODS[identifier as keyof typeof AUTH_METHODS] as 'email' | 'sms' | undefined;
      if (kind === undefined || value === null || others.length > 0) {
        throw invalid(
          'data must be either id.email or id.phone_number, and nothing else, for a session of kind update_auth_methods',
        );
      }
      if (body.auth_kind !== undefined && body.auth_kind !== kind) {
        throw invalid(`auth_kind must be ${kind}, by which ${identifier} is verified, or absent`);
      }
      const refusal = denial(by, 'write', [...changes.keys()]);
      if (refusal) throw refusal;
      store(database, user, changes, { by });
      return kind;
    },
  };

  function store(
    database: Database,
    entity: EntityRow,
    changes: SessionChanges,
    { files = NO_FILES, by }: Pick<SessionFlow, 'files' | 'by'>,
  ): EntityRow {
    if (changes.size === 0 && files.size === 0) return entity;
    vault.store(database, entity, { changes, files, skipLuhn: false, by });
    return getEntity(database, entity, entity.fp_id, entity.kind);
  }

  /** Decides about the business after its owners. */
  function withOwners(database: Database, flow: SessionFlow, run: NewRun, person: EntityRow) {
    const { owners: given, playbook } = flow;
    if (!given) throw new Error('a business without owners is run by itself');
    const ownersPlaybook =
      playbook.owners_playbook_key === null
        ? undefined
        : playbooks.require(database, person, playbook.owners_playbook_key, ['kyc']);
    const own = runOwners(database, {
      business: run.entity,
      person,
      given,
      playbook: ownersPlaybook,
      by: flow.by,
      call: flow.call,
    });
    const delayMs = Math.max(run.delayMs, ownersPlaybook?.session_delay_ms ?? 0);
    const business = startMain(database, flow, { ...run, delayMs });
    const asOwner = { ...run, entity: person, delayMs: 0, isOwnerRun: true };
    return { user: own ?? engine.start(database, asOwner), business };
  }

  function startMain(database: Database, flow: SessionFlow, run: NewRun): RunResult {
    const { entity, playbook } = run;
    // A session for a user who was deleted in the meantime belongs to nobody.
    const isOpened = flow.opened !== null && engine.view(database, flow.opened)?.fp_id === entity.fp_id;
    const opened = isOpened ? flow.opened : undefined;
    if (flow.request.allow_reonboard !== true) {
      engine.requireNotOnboarded(database, entity, playbook, opened);
    }
    engine.requireReady(database, entity, playbook, 'hosted');
    return engine.start(database, { ...run, opened });
  }
}

/** The entered data by entity. */
export function enteredBy({
  data,
  business_data,
}: Pick<Completion, 'data' | 'business_data'>): SessionFlow['entered'] {
  const entered = { user: changesOf(data), business: changesOf(business_data) };
  requireKnownIdentifiers([...entered.user.keys(), ...entered.business.keys()]);
  return entered;
}

export function refuseBusinessData({ business_data }: Entered): void {
  if (business_data !== undefined) throw invalid('business_data is for kyb playbooks only');
}
