/** The masked view of every entity for support staff (contract §11). */
import type { Environment } from '../../contract/facts/entities.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/clock.ts';
import { cursorPage, encodeCursor, pageSize } from '../../kernel/cursor.ts';
import type { Database } from '../../storage/database.ts';
import { countAccessRows } from '../../vault/access-log-lists-repository.ts';
import type { MaskedValue, Vault } from '../../vault/vault.ts';
import { spaceOf } from '../api-keys/index.ts';
import type { BankLinks } from '../bank-links/index.ts';
import type { ClientTokens } from '../client-tokens/index.ts';
import type { Decisions } from '../decisions/index.ts';
import type { Documents } from '../documents/index.ts';
import type { Duplicates } from '../duplicates/index.ts';
import { getEntity, listEntities, placeOf, type EntityRow } from '../entities/index.ts';
import type { Hits } from '../hits/index.ts';
import type { Labels } from '../labels/index.ts';
import type { Notes } from '../notes/index.ts';
import type { Onboardings } from '../onboardings/index.ts';
import type { Owners } from '../owners/index.ts';
import type { RiskSignal, RiskSignals } from '../risk-signals/index.ts';

type Item = AnswerOf<'GET /_kyclone/entities'>['data'][number];
type Inspection = AnswerOf<'GET /_kyclone/entities/{fp_id}'>;

export interface InspectorContext {
  readonly database: Database;
  readonly vault: Vault;
  readonly documents: Documents;
  readonly duplicates: Duplicates;
  readonly labels: Labels;
  readonly tokens: ClientTokens;
  readonly onboardings: Onboardings;
  readonly decisions: Decisions;
  readonly owners: Owners;
  readonly signals: RiskSignals;
  readonly hits: Hits;
  readonly notes: Notes;
  readonly bankLinks: BankLinks;
}

export function listInspected(
  context: InspectorContext,
  query: RequestOf<'GET /_kyclone/entities'>['query'],
): AnswerOf<'GET /_kyclone/entities'> {
  const { database, vault } = context;
  const space = spaceOf(database, query);
  const size = pageSize(query.page_size);
  const found = query.q === undefined ? undefined : vault.search(database, space, query.q).found;
  const filter = { space, kind: query.kind, status: query.status, q: query.q, found };
  const { rows, count } = listEntities(database, filter, { after: placeOf(query.cursor), limit: size });
  return cursorPage(rows, {
    size,
    count,
    cursorOf: (row) => encodeCursor(row.created_at, row.fp_id),
    view: (row) => inspectedItem(database, vault, row),
  });
}

export function inspect(
  context: InspectorContext,
  fpId: string,
  query: { tenant?: string; environment?: Environment },
): Inspection {
  const { database, vault } = context;
  const entity = getEntity(database, spaceOf(database, query), fpId);
  const masked = vault.masked(database, entity);
  return {
    ...item(entity, masked),
    vault: masked.map(({ updated_at, ...value }) => ({ ...value, updated_at: timestamp(updated_at) })),
    documents: context.documents.list(database, entity),
    onboardings: context.onboardings.all(database, entity),
    decisions: context.decisions.all(database, entity),
    owners: entity.kind === 'business' ? context.owners.all(database, entity) : [],
    businesses: entity.kind === 'user' ? context.owners.ofUser(database, entity) : [],
    tags: context.labels.tags(entity),
    notes: context.notes.all(database, entity),
    duplicates: entity.kind === 'user' ? context.duplicates.list(database, entity, {}) : [],
    bank_links: context.bankLinks.ofEntity(database, entity),
    tokens: context.tokens.list(database, entity),
    signals_by_severity: context.signals.countBySeverity(database, entity),
    gravest_signals: gravestOf(context.signals.latest(database, entity)),
    hits: context.hits.latest(database, entity),
    access_log_entries: countAccessRows(database, { fp_id: entity.fp_id }),
  };
}

/** The most serious signals, for a first look. */
function gravestOf(signals: readonly RiskSignal[]): Inspection['gravest_signals'] {
  return signals
    .filter(({ severity }) => severity === 'high' || severity === 'medium')
    .slice(0, GRAVEST)
    .map(({ reason_code, severity, note }) => ({ reason_code, severity, note }));
}

const GRAVEST = 5;

/** An entity in the form of lists. */
export function inspectedItem(database: Database, vault: Vault, row: EntityRow): Item {
  return item(row, vault.masked(database, row, NAMES[row.kind]));
}

const NAMES = { user: ['id.first_name', 'id.last_name'], business: ['business.name'] } as const;

function item(entity: EntityRow, masked: readonly MaskedValue[]): Item {
  const name = NAMES[entity.kind]
    .flatMap((identifier) => masked.find((value) => value.identifier === identifier)?.mask ?? [])
    .join(' ');
  return {
    id: entity.fp_id,
    kind: entity.kind,
    external_id: entity.external_id,
    sandbox_id: entity.sandbox_id,
    status: entity.status,
    requires_manual_review: entity.requires_manual_review === 1,
    label: entity.label,
    masked_name: name === '' ? null : name,
    created_at: timestamp(entity.created_at),
    updated_at: timestamp(entity.updated_at),
    vault_version: entity.vault_version,
  };
}
