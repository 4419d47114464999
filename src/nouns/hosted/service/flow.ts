/**
 * The state of a hosted flow: its session, the requirements of its playbook, and the data entered so far (contract
 * §14). It is read from the store each time, so neither a tab nor a process holds any of it.
 */
import { FLOW_REFUSAL_TEXTS } from '../../../contract/facts/refusals.ts';
import { HOSTED_CODE_TRIES } from '../facts.ts';
import { PLAYBOOK_KINDS, type SessionStep } from '../../onboardings/facts.ts';
import type { DocumentKind, DocumentSide } from '../../vault/facts.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { ServiceError, conflict } from '../../../kernel/errors.ts';
import type { JsonValue } from '../../../kernel/text/json.ts';
import { timestamp } from '../../../kernel/time/clock.ts';
import type { Database } from '../../../storage/database.ts';
import { maskValue } from '../../../vault/identifiers/index.ts';
import type { VaultReads } from '../../../vault/vault.ts';
import { isWhole, type BankLinks } from '../../bank-links/service/index.ts';
import { findEntity, type EntityRow } from '../../entities/service/index.ts';
import type { InfoRequests } from '../../info-requests/service.ts';
import {
  bootstrapOf,
  offeredBy,
  findParticipants,
  groupsOf,
  NO_PROGRESS,
  storedText,
  type Contact,
  type Engine,
  type SessionRow,
  type SessionTokens,
  type StoredSessionRequest,
  proposedOwners,
} from '../../onboardings/service/index.ts';
import type { PlaybookRow, Playbooks } from '../../playbooks/service.ts';
import { documentKinds, IDENTITY_KINDS, sidesOf, contactsIn, methodsOf, verifiedBy } from './steps.ts';
import { missingOf, screensOf } from './screens.ts';

export type FlowState = AnswerOf<'GET /hosted/session'>;

/** Both may be empty: then the flow ends when the person is identified. */
interface Asked {
  /** The text of the request for more information. */
  readonly note?: string;
  readonly fields: readonly string[];
  readonly documents: readonly DocumentKind[];
}

const NOTHING: Asked = { fields: [], documents: [] };

export interface FlowContext {
  readonly vault: VaultReads;
  readonly playbooks: Playbooks;
  readonly engine: Engine;
  readonly tokens: SessionTokens;
  readonly banks: BankLinks;
  readonly infoRequests: Pick<InfoRequests, 'asked'>;
}

/** Reads a flow. Throws `conflict` when its user or its playbook was deleted. */
export function createFlows({ vault, playbooks, engine, tokens, banks, infoRequests }: FlowContext) {
  const textOf = (database: Database, entity: EntityRow | undefined, identifier: string) =>
    entity && storedText(vault, database, entity, identifier);

  /** The first contact in the vault that the flow may use. */
  function storedContact(
    database: Database,
    user: EntityRow | undefined,
    request: StoredSessionRequest,
  ): Contact | undefined {
    for (const identifier of contactsIn(request)) {
      const value = textOf(database, user, identifier);
      if (value !== undefined) return { identifier, value };
    }
    return undefined;
  }

  function playbookOf(database: Database, session: SessionRow, key: string): PlaybookRow {
    try {
      return playbooks.require(database, session, key, PLAYBOOK_KINDS);
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'playbook_unknown')) throw error;
      throw conflict('The playbook of this flow was deleted: ask for another link');
    }
  }

  function presence(database: Database, entity: EntityRow | undefined): (identifier: string) => boolean {
    return entity ? vault.presence(database, entity, entity.vault_version) : () => false;
  }

  /** An entity with a linked bank is not asked for one again. */
  function isLinked(database: Database, owner: EntityRow | undefined): boolean {
    return owner !== undefined && banks.hasConnected(database, owner);
  }

  function statusOf(database: Database, onboarding: string | null) {
    return onboarding === null ? undefined : engine.view(database, onboarding)?.status;
  }

  function askedOf(
    database: Database,
    { onboarding }: SessionRow,
    { flow }: StoredSessionRequest,
    user: EntityRow | undefined,
  ): Asked | undefined {
    if (flow === 'update_auth_methods') return NOTHING;
    const request = user && infoRequests.asked(database, user);
    if (request) {
      const { note, fields, document } = request;
      return { note, fields, documents: document === null ? [] : [document] };
    }
    if (flow === 'document') return { fields: [], documents: IDENTITY_KINDS };
    if (flow === 'user') return NOTHING;
    const status = statusOf(database, onboarding);
    return status === undefined || status === 'incomplete' ? undefined : NOTHING;
  }

  return (
    database: Database,
    session: SessionRow,
    request: StoredSessionRequest = tokens.requestOf(session),
  ) => {
    const { progress = NO_PROGRESS } = request;
    const recognised =
      progress.fp_id === undefined ? undefined : findEntity(database, session, progress.fp_id);
    const { user: named, business } =
      request.flow === undefined
        ? findParticipants(database, session, request)
        : { user: findEntity(database, session, request.fp_id), business: undefined };
    const user = named ?? recognised;
    const key = request.flow === undefined ? request.key : session.playbook_key;
    const playbook = key === null ? undefined : playbookOf(database, session, key);
    const asked = askedOf(database, session, request, user);
    const stored =
      request.flow === 'update_auth_methods' ? undefined : storedContact(database, named, request);
    const contact = stored ?? progress.contact;
    const bootstrap =
      request.flow === undefined && playbook && !asked
        ? bootstrapOf(request, playbook)
        : { user: new Map<string, JsonValue>(), business: new Map<string, JsonValue>() };
    const isKyb = playbook?.kind === 'kyb' && !asked;
    const isStored = asked ? () => false : presence(database, isKyb ? business : user);
    const given = isKyb ? bootstrap.business : bootstrap.user;
    const offered = given.size === 0 ? given : offeredBy(tokens.writerOf(database, session), given, isStored);
    const values = new Map(
      [...offered, ...Object.entries(progress.data)].filter(([, value]) => value !== null),
    );
    const isGiven = (identifier: string) =>
      values.has(identifier) || isStored(identifier) || (!isKyb && contact?.identifier === identifier);
    const knownText = (identifier: string) => {
      const value = values.get(identifier);
      return typeof value === 'string' ? value : textOf(database, isKyb ? business : user, identifier);
    };
    const country = knownText('id.country')?.trim().toUpperCase();
    const isAbroad = !isKyb && country !== undefined && country !== 'US';
    const isStepUp = session.onboarding !== null && engine.waitsForDocument(database, session.onboarding);
    const missing = { isPresent: () => false, isAbroad: false, textOf: knownText };
    const groups = asked
      ? asked.fields.map((field) => [field])
      : playbook && !isStepUp
        ? groupsOf(playbook, missing)
        : [];
    const screens =
      groups.length > 0 || (playbook && !asked && !isStepUp)
        ? screensOf({
            groups,
            offered: [...offered.keys()],
            isStored: (identifier) => isStored(identifier) || (!isKyb && contact?.identifier === identifier),
            isGiven,
            isAbroad,
            sent: progress.screens,
          })
        : [];
    return {
      session,
      request,
      progress,
      /** Undefined for a flow without an onboarding. */
      playbook,
      /** The person, if known: named by the session, or recognised. */
      user,
      business,
      isStepUp,
      /** The run will step up after its delay; until then the flow asks for nothing. */
      isWaiting: isStepUp && asked === NOTHING && statusOf(database, session.onboarding) === 'pending',
      /** Asked for instead of a playbook's requirements, and runs nothing; undefined with a playbook's run. */
      asked,
      /** The target of the one-time code; undefined until it was entered. */
      contact,
      /** The entered data: bootstrap data, overridden by typed data. */
      values,
      screens,
      /** Whether the contact came from the vault. */
      isContactStored: stored !== undefined || (isStepUp && user !== undefined && contact !== undefined),
      documentKinds:
        asked?.documents ??
        (playbook ? documentKinds(playbook, { isStepUp, isStored: presence(database, user) }) : []),
      asksForBank:
        playbook?.bank_link === true && !asked && !isStepUp && !isLinked(database, isKyb ? business : user),
      isGiven,
      isAbroad,
    };
  };
}

export type HostedFlow = ReturnType<ReturnType<typeof createFlows>>;

/** Whether the flow ends as soon as the person is identified. */
function asksForNothing({ asked, screens, documentKinds: kinds }: HostedFlow): boolean {
  return asked !== undefined && screens.length === 0 && kinds.length === 0;
}

export function asksForOwners({ playbook, asked }: HostedFlow): boolean {
  return playbook?.collects_owners === true && !asked;
}

function asksForOutcome({ session, asked }: HostedFlow): boolean {
  return session.environment === 'sandbox' && !asked;
}

/** The pictures that a document of this kind needs. */
export function sidesIn({ playbook }: HostedFlow, kind: DocumentKind): DocumentSide[] {
  return sidesOf(kind, { selfie: playbook?.selfie ?? false });
}

function stepsOf(flow: HostedFlow): SessionStep[] {
  const { screens, documentKinds: kinds, asksForBank } = flow;
  if (asksForNothing(flow)) return ['identify'];
  return [
    'identify',
    ...(screens.length > 0 ? (['data'] as const) : []),
    ...(asksForOwners(flow) ? (['owners'] as const) : []),
    ...(kinds.length > 0 ? (['document'] as const) : []),
    ...(asksForBank ? (['bank'] as const) : []),
    'review',
    ...(asksForOutcome(flow) ? (['outcome'] as const) : []),
  ];
}

/** The first incomplete step; the last step when all are complete. */
export function stepOf(flow: HostedFlow): SessionStep {
  const { progress, screens, documentKinds: kinds } = flow;
  if (progress.verifiedBy === undefined || asksForNothing(flow)) return 'identify';
  if (screens.some(({ is_done }) => !is_done)) return 'data';
  if (asksForOwners(flow) && !progress.owners) return 'owners';
  if (kinds.length > 0 && !hasDocument(flow)) return 'document';
  if (flow.asksForBank && !isWhole(progress.bank)) return 'bank';
  return progress.hasConsented && asksForOutcome(flow) ? 'outcome' : 'review';
}

/** Whether everything required for the completion was entered. */
export function isAtEnd(flow: HostedFlow): boolean {
  const { progress } = flow;
  if (progress.verifiedBy === undefined) return false;
  if (asksForNothing(flow)) return true;
  const step = stepOf(flow);
  return progress.hasConsented === true && (step === 'outcome' || step === 'review');
}

function hasDocument(flow: HostedFlow): boolean {
  const { document } = flow.progress;
  if (!document) return false;
  return sidesIn(flow, document.kind).every((side) => document.files[side] !== undefined);
}

/** The state for its page; before the one-time code it has no entered data. */
export function stateOf(flow: HostedFlow): FlowState {
  const { session, request, progress, playbook, contact, isWaiting } = flow;
  const isVerified = progress.verifiedBy !== undefined;
  const { document } = progress;
  return {
    state: isVerified && isWaiting ? 'waiting' : 'open',
    flow: request.flow ?? 'onboard',
    kind: playbook?.kind ?? null,
    title: playbook?.name ?? null,
    is_live: session.environment === 'live',
    expires_at: timestamp(session.expires_at),
    steps: stepsOf(flow),
    step: stepOf(flow),
    is_step_up: flow.isStepUp,
    identify: {
      is_verified: isVerified,
      sent_to: contact === undefined ? null : maskValue(contact.identifier, contact.value),
      by: contact === undefined ? null : verifiedBy(contact),
      methods: methodsOf(request),
      tries_left: HOSTED_CODE_TRIES - progress.wrongCodes,
      is_fixed: flow.isContactStored,
    },
    screens: isVerified ? [...flow.screens] : [],
    values: isVerified ? Object.fromEntries(flow.values) : {},
    owners: isVerified && asksForOwners(flow) ? ownersOf(flow) : null,
    document:
      isVerified && flow.documentKinds.length > 0
        ? {
            kinds: [...flow.documentKinds] as NonNullable<FlowState['document']>['kinds'],
            kind: document?.kind ?? null,
            country: document?.country ?? null,
            sides: document ? sidesIn(flow, document.kind) : [],
            given: document ? (Object.keys(document.files) as DocumentSide[]) : [],
          }
        : null,
    bank: isVerified && flow.asksForBank ? bankOf(flow) : null,
    review: isVerified ? reviewOf(flow) : [],
    note: (isVerified && flow.asked?.note) || null,
    result: null,
  };
}

export function redirectUrlOf({ request }: HostedFlow): string | undefined {
  return request.flow === undefined ? request.redirect_url : undefined;
}

export function ownerOfBank({ playbook, user, business }: HostedFlow): EntityRow | undefined {
  return playbook?.kind === 'kyb' ? business : user;
}

function bankOf(flow: HostedFlow): FlowState['bank'] {
  const { institution = null, persona = null, accounts = null, isAgreed = false } = flow.progress.bank ?? {};
  return {
    link: null,
    institution,
    persona,
    accounts: accounts && [...accounts],
    is_agreed: isAgreed,
    has_owner: ownerOfBank(flow) !== undefined,
  };
}

/** The entered owners, or those proposed by bootstrap data. */
function ownersOf({ progress, request }: HostedFlow): FlowState['owners'] {
  const bootstrap = request.flow === undefined ? request.bootstrap_data : undefined;
  return progress.owners ?? proposedOwners(bootstrap ?? {});
}

function reviewOf({ contact, isContactStored, screens, values, progress }: HostedFlow): FlowState['review'] {
  const identifiers = screens.flatMap(({ groups }) => groups.flatMap((group) => group.identifiers));
  const shown = (identifier: string, value: JsonValue) => ({
    identifier,
    shown: maskValue(identifier, value),
  });
  return [
    ...(contact && !isContactStored ? [shown(contact.identifier, contact.value)] : []),
    ...identifiers.flatMap((identifier) => {
      const value = values.get(identifier);
      return value === undefined ? [] : [shown(identifier, value)];
    }),
    ...(progress.document
      ? [shown(`document.${progress.document.kind}.issuing_country`, progress.document.country)]
      : []),
  ];
}

/** Throws `T121` naming missing values that the screen requires. */
export function requireComplete(flow: HostedFlow, name: string): void {
  const screen = flow.screens.find((each) => each.name === name);
  const missing = screen ? missingOf(screen, flow) : [];
  if (missing.length === 0) return;
  const firsts = missing.map(({ identifiers: [first = ''] }) => first);
  throw new ServiceError('T121', `The playbook asks for more: ${firsts.join(', ')}`, {
    context: Object.fromEntries(firsts.map((first) => [first, FLOW_REFUSAL_TEXTS.PLAYBOOK])),
  });
}
