/**
 * Completes a hosted flow: creates missing entities, stores the entered data, and runs the user, or the business and
 * its owner (contract §4.2, §10). Everything here must be called within a write job.
 */
import type { Outcome } from '../../outcomes/facts.ts';
import { PLAYBOOK_KINDS } from '../facts.ts';
import type { RequestOf } from '../../../contract/registry.ts';
import { ServiceError, invalid, conflict } from '../../../kernel/errors.ts';
import type { JsonValue } from '../../../kernel/text/json.ts';
import type { Database } from '../../../storage/database.ts';
import { requireKnownIdentifiers } from '../../../vault/identifiers/index.ts';
import type { StoredFile } from '../../../vault/files/index.ts';
import { type AccessCall, denial, type Writer } from '../../../vault/access-entry.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { Space } from '../../api-keys/service/index.ts';
import {
  changesOf,
  getEntity,
  type Entities,
  type EntityKind,
  type EntityRow,
} from '../../entities/service/index.ts';
import type { Owners } from '../../owners/service.ts';
import type { PlaybookRow, Playbooks } from '../../playbooks/service.ts';
import { bootstrapOf, offeredBy } from './bootstrap.ts';
import type { Engine, NewRun } from './engine.ts';
import { createSessionOwners } from './session-owners.ts';
import { findParticipants, type GivenOwners, type OnboardingRequest } from './sessions-request.ts';
import type { RunResult } from './views.ts';

export type Completion = RequestOf<'POST /_kyclone/sessions/complete'>['body'];
/** The result of a flow, without its token. */
export type Entered = Omit<Completion, 'token'>;
export type SessionChanges = ReadonlyMap<string, JsonValue>;

/** An onboarding that is run to its outcome. */
export interface SessionFlow {
  readonly playbook: PlaybookRow;
  readonly request: OnboardingRequest;
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
  readonly owners?: GivenOwners | undefined;
  /** The key that started it. */
  readonly by: Writer & { readonly keepsStored?: boolean };
  /** The call that runs it, for the access log. */
  readonly call: AccessCall;
}

export type Files = ReadonlyMap<string, StoredFile>;

interface Played {
  /** Undefined when a business was run alone. */
  readonly person?: EntityRow | undefined;
  readonly user?: RunResult | undefined;
  readonly business?: RunResult | undefined;
}

const NO_FILES: Files = new Map();
const NO_CHANGES: Readonly<Record<EntityKind, SessionChanges>> = { user: new Map(), business: new Map() };
const AUTH_METHODS = { 'id.email': 'email', 'id.phone_number': 'sms' } as const;

export function createSessionRuns(context: {
  readonly vault: Vault;
  readonly entities: Entities;
  readonly playbooks: Playbooks;
  readonly owners: Owners;
  readonly engine: Engine;
}) {
  const { vault, entities, playbooks, engine } = context;
  const runOwners = createSessionOwners(context);

  const runs = {
    /** Throws the errors of a run: `T120`, `T121`, `T122`. */
    play(database: Database, space: Space, flow: SessionFlow): Played {
      const { playbook, request, entered, fixture, by, call } = flow;
      const isKyb = playbook.kind === 'kyb';
      requireKnownIdentifiers([...entered.user.keys(), ...entered.business.keys()]);
      const known = findParticipants(database, space, request);
      const main = known[isKyb ? 'business' : 'user'];
      const opened = flow.opened === null ? undefined : engine.view(database, flow.opened);
      const at = opened?.fp_id === main?.fp_id ? opened : undefined;
      const stands = at !== undefined && at.status !== 'incomplete';
      if (stands && fixture !== undefined) {
        throw new ServiceError(
          'T122',
          'The flow makes no run: the onboarding on this playbook has ended already',
        );
      }
      // A flow that asks for nothing has shown nobody the bootstrap data.
      const bootstrap = stands ? NO_CHANGES : bootstrapOf(request, playbook);
      const changesOf = (kind: EntityKind) => {
        const entity = known[kind];
        const isStored = entity ? vault.presence(database, entity, entity.vault_version) : () => false;
        return new Map([...offeredBy(by, bootstrap[kind], isStored), ...entered[kind]]);
      };
      if (at && main?.kind === 'user' && engine.waitsForDocument(database, at.id)) {
        // Nor has one that asks for a document alone.
        const given = { changes: entered.user, fixture, files: flow.files, by, call };
        return { person: main, user: runs.goOn(database, main, at.id, given) };
      }
      const participant = (kind: EntityKind) =>
        store(
          database,
          known[kind] ??
            entities.createWithin(database, space, { kind, externalId: request[`${kind}_external_id`] }),
          changesOf(kind),
          { files: kind === 'user' ? flow.files : undefined, by },
        );
      const run = { playbook, fixture, call, onboardingExternalId: request.onboarding_external_id ?? null };
      const initial = { ...run, delayMs: flow.delayMs, isOwnerRun: false };
      const isNamed = request.fp_id !== undefined || request.user_external_id !== undefined;
      const person = !isKyb || flow.hasPerson || isNamed ? participant('user') : undefined;
      if (stands) {
        if (isKyb) participant('business');
        const result = engine.resultOf(database, space, at.id);
        return { person, ...(isKyb ? { business: result } : { user: result }) };
      }
      if (!isKyb && person)
        return { person, user: startMain(database, flow, { ...initial, entity: person }) };
      if (person && flow.owners)
        return withOwners(database, flow, { ...initial, entity: participant('business') }, person);
      // The business first, so that a rule with a count applies to it rather than to its owner.
      const business = startMain(database, flow, { ...initial, entity: participant('business') });
      if (!person) return { business };
      const user = engine.start(database, { ...run, entity: person, delayMs: 0, isOwnerRun: true });
      return { person, user, business };
    },

    /** Continues the incomplete onboarding of a user; one that has ended in the meantime is returned as it is. */
    goOn(
      database: Database,
      user: EntityRow,
      onboarding: string,
      given: { readonly changes: SessionChanges } & Pick<SessionFlow, 'fixture' | 'files' | 'by' | 'call'>,
    ): RunResult {
      // A chosen outcome takes the place of the one that the document would bring about.
      if (given.fixture !== undefined) engine.awaitNothing(database, onboarding);
      const entity = store(database, user, given.changes, given);
      const before = engine.view(database, onboarding);
      if (before?.fp_id !== user.fp_id) throw conflict('The onboarding of the session is gone');
      if (before.status !== 'incomplete' && given.fixture === undefined) {
        return engine.resultOf(database, user, onboarding);
      }
      const playbook = playbooks.require(database, user, before.playbook_key, PLAYBOOK_KINDS);
      return engine.goOn(database, {
        entity,
        playbook,
        fixture: given.fixture,
        opened: onboarding,
        onboardingExternalId: before.onboarding_external_id,
        delayMs: playbook.session_delay_ms,
        isOwnerRun: false,
        call: given.call,
      });
    },

    /** Stores what a flow without a run has asked for. Throws `invalid_request` for an outcome. */
    keep(database: Database, user: EntityRow, body: Entered, given: Pick<SessionFlow, 'files' | 'by'>): void {
      refuseBusinessData(body);
      if (body.fixture_result !== undefined) {
        throw invalid('fixture_result must be absent: this session runs no playbook');
      }
      store(database, user, enteredBy(body).user, given);
    },

    /**
     * Stores the new e-mail address or phone number; returns how it was verified. Throws `permission_denied` when the key
     * may not write it any more.
     */
    updateAuthMethod(database: Database, user: EntityRow, body: Entered, by: Writer): 'email' | 'sms' {
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
  return runs;

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
    const { own, delayMs: ownersDelayMs } = runOwners(database, {
      business: run.entity,
      person,
      given,
      playbook: ownersPlaybook,
      by: flow.by,
      call: flow.call,
    });
    const delayMs = Math.max(run.delayMs, ownersDelayMs);
    const business = startMain(database, flow, { ...run, delayMs });
    const asOwner = { ...run, entity: person, delayMs: 0, isOwnerRun: true };
    return { person, user: own ?? engine.start(database, asOwner), business };
  }

  function startMain(database: Database, flow: SessionFlow, run: NewRun): RunResult {
    const { entity, playbook } = run;
    // A session for a user who was deleted in the meantime belongs to nobody.
    const isOpened = flow.opened !== null && engine.view(database, flow.opened)?.fp_id === entity.fp_id;
    const opened = isOpened ? flow.opened : undefined;
    if (flow.request.allow_reonboard !== true && !flow.hasPerson) {
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
