/** The masked view of every entity for support staff (contract §11). */
import { VAULT_PAGE_SIZE } from '../../../contract/facts/limits.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { timestamp } from '../../../kernel/time/clock.ts';
import { cursorPage, decodeCursor, encodeCursor, pageSize } from '../../cursor.ts';
import { ID_PREFIX } from '../../../kernel/ids/ids.ts';
import type { Database } from '../../../storage/database.ts';
import { accessEntry, CONTROL_CALLER } from '../../../vault/access-entry.ts';
import { unlessDamaged } from '../../../vault/envelope.ts';
import { countAccessRowsOf } from '../../../vault/access-log-lists-repository.ts';
import { recentMisses } from '../../../vault/misses.ts';
import type { MaskedValue, Vault } from '../../../vault/vault.ts';
import { spaceOf } from '../../api-keys/service/index.ts';
import type { BankLinks } from '../../bank-links/service/index.ts';
import type { Claims } from '../../claims/service.ts';
import type { ClientTokens } from '../../client-tokens/service/index.ts';
import type { Decisions } from '../../decisions/service.ts';
import type { Documents } from '../../documents/service.ts';
import type { Duplicates } from '../../duplicates/service.ts';
import {
  findEntity,
  getEntity,
  listEntities,
  placeOf,
  type EntityRow,
} from '../../entities/service/index.ts';
import type { Hits } from '../../hits/service.ts';
import type { Labels } from '../../labels/service.ts';
import type { InfoRequests } from '../../info-requests/service.ts';
import type { Notes } from '../../notes/service.ts';
import type { Onboardings } from '../../onboardings/service/index.ts';
import type { Owners } from '../../owners/service.ts';
import type { RiskSignal, RiskSignals } from '../../risk-signals/service.ts';
import { accessEntryView } from '../../access-log/service.ts';
import { answer, type Handlers } from '../../handlers.ts';
import type { Needs } from '../../needs.ts';

const ENTITY_IDS = [ID_PREFIX.user, ID_PREFIX.business];

type Item = AnswerOf<'GET /_kyclone/entities'>['data'][number];
type Inspection = AnswerOf<'GET /_kyclone/entities/{fp_id}'>;

export interface InspectorContext extends Needs<'database' | 'queue' | 'vault' | 'accessLog' | 'clock'> {
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
  readonly infoRequests: InfoRequests;
  readonly bankLinks: BankLinks;
  readonly claims: Claims;
}

export function entityViews(
  context: InspectorContext,
): Handlers<'GET /_kyclone/entities' | 'GET /_kyclone/entities/{fp_id}'> {
  const { database, vault, accessLog, clock } = context;
  return {
    /** A `q` that may be a value is compared with the values of all vaults, so the access log has the search. */
    'GET /_kyclone/entities': async ({ query, requestId, operator, findsValues }) => {
      const { q, kind, status } = query;
      const space = spaceOf(database, query);
      const size = pageSize(query.page_size);
      const isId = ENTITY_IDS.some((prefix) => q?.startsWith(prefix));
      const search = q === undefined || isId || !findsValues ? undefined : vault.search(database, space, q);
      const found = q === undefined ? undefined : (search?.found ?? []);
      if (search && search.identifiers.length > 0) {
        const { identifiers } = search;
        const access = { operation: 'search', identifiers, outcome: 'granted', reason: null } as const;
        const call = { requestId, operator, caller: CONTROL_CALLER };
        await accessLog.record(accessEntry(call, space, { ...access, at: clock.now() }));
      }
      const filter = { space, kind, status, q, found };
      const { rows, count } = listEntities(database, filter, { after: placeOf(query.cursor), limit: size });
      for (const row of rows) if (search?.found.includes(row.id)) search.confirm(row);
      return answer(
        cursorPage(rows, {
          size,
          count,
          cursorOf: (row) => encodeCursor(row.created_at, row.fp_id),
          view: (row) => inspectedItem(database, vault, row),
        }),
      );
    },

    'GET /_kyclone/entities/{fp_id}': async ({ params, query }) => {
      const space = spaceOf(database, query);
      const asked = getEntity(database, space, params.fp_id);
      const { vault_cursor: cursor } = query;
      const after = cursor === undefined ? undefined : decodeCursor(cursor, ['string'])[0];
      const page = await vault.maskedPage(database, asked, { after, limit: VAULT_PAGE_SIZE });
      // It may have been changed or deleted meanwhile.
      const entity = { ...getEntity(database, space, params.fp_id), vault_version: asked.vault_version };
      return answer({
        ...inspectedItem(database, vault, entity),
        vault: page.values.map(({ updated_at: at, ...value }) => ({ ...value, updated_at: timestamp(at) })),
        vault_count: page.count,
        vault_next: page.next === undefined ? null : encodeCursor(page.next),
        documents: context.documents.list(database, entity),
        onboardings: context.onboardings.all(database, entity),
        decisions: context.decisions.all(database, entity),
        owners: entity.kind === 'business' ? context.owners.all(database, entity) : [],
        businesses: entity.kind === 'user' ? context.owners.ofUser(database, entity) : [],
        tags: context.labels.tags(entity),
        notes: context.notes.all(database, entity),
        requires_additional_info: context.infoRequests.required(database, entity),
        duplicates: entity.kind === 'user' ? context.duplicates.list(entity) : [],
        bank_links: context.bankLinks.ofEntity(database, entity),
        tokens: context.tokens.list(database, entity),
        signals_by_severity: context.signals.countBySeverity(database, entity),
        gravest_signals: gravestOf(context.signals.latest(database, entity)),
        hits: context.hits.latest(database, entity),
        access_log_entries: countAccessRowsOf(database, entity.fp_id),
        claim: context.claims.of(database, entity),
        recent_misses: missesView(context, entity),
      });
    },
  };
}

function missesView(
  { database, accessLog, clock }: InspectorContext,
  { fp_id }: EntityRow,
): Inspection['recent_misses'] {
  const found = recentMisses(database, fp_id, clock.now());
  if (found === undefined) return null;
  const { at, operator } = accessEntryView(found.last, accessLog);
  return { count: found.count, last_at: at, last_operator: operator };
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

/** Reads the masked name of a user or business; null without one, and for one that is deleted or damaged. */
export function maskedNames(
  { database, vault }: Needs<'database' | 'vault'>,
  query: Parameters<typeof spaceOf>[1],
): (fpId: string) => string | null {
  const space = spaceOf(database, query);
  const nameOf = (fpId: string) => {
    const row = findEntity(database, space, fpId);
    return row && inspectedItem(database, vault, row).masked_name;
  };
  return (fpId) => unlessDamaged(() => nameOf(fpId)) ?? null;
}

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
    requires_manual_review: entity.requires_manual_review,
    label: entity.label,
    masked_name: name === '' ? null : name,
    created_at: timestamp(entity.created_at),
    updated_at: timestamp(entity.updated_at),
    vault_version: entity.vault_version,
  };
}
