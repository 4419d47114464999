/** Every entity in the masked view for support staff, with its labels and attributes (contract §11). */
import { Type } from '@sinclair/typebox';
import { VAULT_PAGE_SIZE } from '../../contract/facts/limits.ts';
import { VALUE_KINDS } from '../vault/facts.ts';
import { ENTITY_KINDS, TIMELINE_KINDS } from '../entities/facts.ts';
import { BankLink } from '../bank-links/endpoints/records.ts';
import { Claim } from '../claims/endpoints.ts';
import { TokenScopeName } from '../client-tokens/endpoints.ts';
import { Decision } from '../decisions/endpoints.ts';
import { DocumentRecord } from '../documents/endpoints.ts';
import { DuplicateRecord } from '../duplicates/endpoints.ts';
import { controlToken, control, endpoint } from '../../contract/endpoint.ts';
import { TagRecord } from '../labels/endpoints.ts';
import { Hit } from '../hits/endpoints.ts';
import { RequiredInfo } from '../info-requests/endpoints.ts';
import {
  named,
  Counts,
  CursorPage,
  CursorQuery,
  Empty,
  EntityStatusName,
  LabelName,
  Nullable,
  OneOf,
  SpaceQuery,
  Timestamp,
  OptionalReason,
} from '../../contract/shapes.ts';
import { Note } from '../notes/endpoints.ts';
import { OnboardingItem } from '../onboardings/endpoints/index.ts';
import { Owner } from '../owners/endpoints.ts';
import { ReasonCode, SeverityName } from '../risk-signals/endpoints.ts';

export const EntityKindName = named('EntityKind', OneOf(ENTITY_KINDS));

/** A signal that explains why an entity needs attention. */
export const GraveSignal = named(
  'GraveSignal',
  Type.Object({ reason_code: ReasonCode, severity: SeverityName, note: Type.String() }),
);

export const EntityItem = named(
  'Entity',
  Type.Object({
    id: Type.String(),
    kind: EntityKindName,
    external_id: Nullable(Type.String()),
    sandbox_id: Nullable(Type.String()),
    status: EntityStatusName,
    requires_manual_review: Type.Boolean(),
    label: Nullable(LabelName),
    masked_name: Nullable(Type.String()),
    created_at: Timestamp,
    updated_at: Timestamp,
    vault_version: Type.Integer(),
  }),
);

/** Ids of devices and cookies: stored sealed, compared by fingerprint. */
const Attribute = Type.String({ minLength: 1, maxLength: 256 });

const EntityInspection = named(
  'EntityInspection',
  Type.Object({
    ...EntityItem.properties,
    vault: Type.Array(
      named(
        'VaultEntry',
        Type.Object({
          identifier: Type.String(),
          mask: Type.String(),
          type: OneOf(VALUE_KINDS),
          version: Type.Integer(),
          updated_at: Timestamp,
        }),
      ),
      { description: `sorted by identifier, at most ${VAULT_PAGE_SIZE}` },
    ),
    vault_count: Type.Integer({ description: 'the number of all present identifiers' }),
    vault_next: Nullable(Type.String({ description: 'vault_cursor of the next identifiers' })),
    documents: Type.Array(DocumentRecord),
    onboardings: Type.Array(OnboardingItem),
    decisions: Type.Array(Decision),
    owners: Type.Array(Owner),
    businesses: Type.Array(
      named('OwnedBusiness', Type.Object({ fp_bid: Type.String(), ownership_stake: Type.Integer() })),
    ),
    tags: Type.Array(TagRecord),
    notes: Type.Array(Note),
    requires_additional_info: RequiredInfo,
    duplicates: Type.Array(DuplicateRecord),
    bank_links: Type.Array(BankLink),
    tokens: Type.Array(
      named(
        'IssuedClientToken',
        Type.Object({
          id: Type.String(),
          scope: TokenScopeName,
          fields: Type.Array(Type.String()),
          expires_at: Timestamp,
          revoked: Type.Boolean(),
        }),
      ),
    ),
    signals_by_severity: Counts,
    gravest_signals: Type.Array(GraveSignal, {
      description: 'signals of the latest finished onboarding, high and medium ones, at most 5',
    }),
    hits: Type.Array(Hit, { description: 'hits of the latest finished onboarding' }),
    access_log_entries: Type.Integer(),
    claim: Nullable(Claim),
    recent_misses: Nullable(
      named(
        'RecentMisses',
        Type.Object(
          { count: Type.Integer(), last_at: Timestamp, last_operator: Nullable(Type.String()) },
          { description: 'stated values of the last hour that did not match, if at least three' },
        ),
      ),
    ),
  }),
);

export const inspectorEndpoints = [
  endpoint('GET /_kyclone/entities', {
    operationId: 'listEntities',
    ...control,
    query: Type.Object({
      ...SpaceQuery,
      ...CursorQuery,
      kind: Type.Optional(EntityKindName),
      q: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 256,
          description: 'prefix of an id or external id, or an exact searchable value',
        }),
      ),
      status: Type.Optional(EntityStatusName),
    }),
    response: CursorPage(EntityItem),
    errors: ['not_found'],
    logsAccess: true,
    assumed: [
      {
        what: 'a q that could be a value is recorded in the access log as a search, without its text',
        why: 'ours: the answer shows whether somebody has the value',
      },
    ],
    summary: 'Users and businesses, masked',
  }),
  endpoint('GET /_kyclone/entities/{fp_id}', {
    operationId: 'getEntity',
    ...control,
    query: Type.Object({
      ...SpaceQuery,
      vault_cursor: Type.Optional(
        Type.String({ description: 'vault_next of the previous answer, unchanged' }),
      ),
    }),
    response: EntityInspection,
    assumed: [
      {
        what: 'vault_cursor, vault_next, vault_count',
        why: 'ours: a vault may have tens of thousands of identifiers',
      },
    ],
    summary: 'One entity with all of its data, masked',
  }),
  endpoint('PATCH /_kyclone/entities/{fp_id}', {
    operationId: 'updateEntity',
    isAct: true,
    ...control,
    query: Type.Object(SpaceQuery),
    body: named(
      'UpdateEntityRequest',
      Type.Object(
        {
          device_id: Type.Optional(Nullable(Attribute)),
          cookie_id: Type.Optional(Nullable(Attribute)),
          ip_address: Type.Optional(
            Nullable(Type.String({ format: 'ip', description: 'an IPv4 or IPv6 address' })),
          ),
          label: Type.Optional(Nullable(LabelName)),
          reason: OptionalReason,
        },
        { additionalProperties: false },
      ),
    ),
    response: Empty,
    summary: 'Set the device attributes of an entity, and its label; null removes one',
  }),
] as const;

// The history of an entity, newest first, without values (contract §11).

const TimelineEntry = named(
  'TimelineEntry',
  Type.Object({
    at: Timestamp,
    kind: named('TimelineKind', OneOf(TIMELINE_KINDS)),
    id: Nullable(
      Type.String({
        description: 'id of the run, document, link, event, tag or note, or of the reading request',
      }),
    ),
    title: Type.String({ description: 'what happened, in words' }),
    by: Nullable(Type.String({ description: 'the operator or reviewer, otherwise the credential' })),
    reason: Nullable(
      Type.String({ description: 'the given reason, the annotation of a decision, or the text of a note' }),
    ),
    details: Type.Array(Type.String(), {
      description: 'names of fields, reason codes, or deliveries; never a value',
    }),
  }),
);

export const timelineEndpoints = [
  endpoint('GET /_kyclone/entities/{fp_id}/timeline', {
    operationId: 'listEntityTimeline',
    stability: 'emulator',
    auth: controlToken,
    query: Type.Object({
      ...SpaceQuery,
      ...CursorQuery,
      kinds: Type.Optional(Type.String({ description: 'comma-separated kinds; all by default' })),
    }),
    response: CursorPage(TimelineEntry),
    assumed: [
      {
        what: 'runs, signals, decisions, decided hits, notes, labels and tags, vault writes by name, documents, bank links, events with their deliveries, and reads',
        why: 'ours: the order of events explains a case; a purge and a reset also remove entries',
      },
    ],
    summary: 'The history of an entity, newest first',
  }),
] as const;
