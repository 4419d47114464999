/** The history of an entity, newest first, in pages from its sources (contract §11). */
import { SEVERITIES } from '../../onboardings/facts.ts';
import { TIMELINE_KINDS, type TimelineKind } from '../../entities/facts.ts';
import type { AnswerOf, EndpointKey, RequestOf } from '../../../contract/registry.ts';
import { timestamp } from '../../../kernel/time/clock.ts';
import { counted } from '../../../kernel/text/count-text.ts';
import { listParameter, orderedPage } from '../../cursor.ts';
import { callOfControl } from '../../../vault/access-entry.ts';
import { listVaultWrites } from '../../../vault/repository.ts';
import { spaceOf } from '../../api-keys/service/index.ts';
import { type EntityRow, getEntity } from '../../entities/service/index.ts';
import { answer, type Handlers, doneWriting } from '../../handlers.ts';
import type { RiskSignal } from '../../risk-signals/service.ts';
import { countEventsOf, listDeliveriesOf, listEventsOf } from '../../webhooks/service/index.ts';
import { acts, marks, type Occurrence, reads, type TimelineSource } from '../../access-log/service.ts';
import { entityViews, type InspectorContext } from './entities.ts';
import { DELIVERY_FILTERS, deliveryState, deliveryStatusText } from '../../webhooks/facts.ts';
import { invalid } from '../../../kernel/errors.ts';

// What has become of an event at all its receivers, in a few words (contract §11). Pure.

type Delivery = Pick<ReturnType<typeof listDeliveriesOf>[number], 'webhook' | 'status' | 'attempts'>;

/** `failing (3 of 8)` for one receiver, `3 of 4 failed, 1 failing` for more, by the newest delivery to each. */
export function receiversText(deliveries: readonly Delivery[]): string {
  const newest = [...new Map(deliveries.map((delivery) => [delivery.webhook, delivery])).values()];
  const [only, ...more] = newest;
  if (only === undefined) return 'no receiver';
  if (more.length === 0) return deliveryStatusText({ status: only.status, attempt: only.attempts });
  const states = newest.map(({ status, attempts }) => deliveryState(status, attempts));
  const counts = SUMMED.map((state) => ({ state, count: states.filter((each) => each === state).length }));
  return counts
    .filter(({ state, count }) => count > 0 && (state !== 'delivered' || count === newest.length))
    .map(({ state, count }, at) => `${count}${at === 0 ? ` of ${newest.length}` : ''} ${state}`)
    .join(', ');
}

const [PENDING, DELIVERED, FAILED, FAILING] = DELIVERY_FILTERS;
/** The gravest first. */
const SUMMED = [FAILED, FAILING, PENDING, DELIVERED];

// The sources of a timeline by kind, with words and names but no values.

function timelineSources(
  context: InspectorContext,
  entity: EntityRow,
): Readonly<Record<TimelineKind, TimelineSource>> {
  const { database } = context;
  return {
    read: reads(context, entity),
    act: acts(context, entity),
    event: events(context, entity),
    note: whole(() =>
      oldestFirst(context.notes.all(database, entity), ({ id, text, operator, created_at }) => ({
        at: Date.parse(created_at),
        id,
        title: 'Note',
        by: operator,
        reason: text,
      })),
    ),
    hit: whole(() =>
      context.hits
        .reviews(database, entity)
        .map((hit, seq) => ({
          at: Date.parse(hit.at),
          seq,
          id: hit.onboarding_id,
          by: hit.operator,
          reason: hit.reason,
          title: `Hit ${hit.reason_code}: ${hit.decision === 'confirmed' ? 'confirmed' : 'a false positive'}`,
        })),
    ),
    decision: whole(() =>
      oldestFirst(context.decisions.all(database, entity), (decision) => ({
        at: Date.parse(decision.timestamp),
        id: decision.playbook_key,
        title: `Decided ${decision.kind === 'manual' ? 'by hand' : 'by a run'}: ${decision.status}`,
        by: decision.reviewer_email,
        reason: decision.annotation,
      })),
    ),
    signals: whole(() => signals(context, entity)),
    run: whole(() => runs(context, entity)),
    bank_link: whole(() =>
      oldestFirst(context.bankLinks.ofEntity(database, entity), (link) => ({
        at: Date.parse(link.created_at),
        id: link.id,
        title: `Bank linked: ${link.institution_name}`,
        details: [link.error_code === null ? link.state : `${link.state}: ${link.error_code}`],
      })),
    ),
    document: whole(() =>
      oldestFirst(context.documents.list(database, entity), (document) => ({
        at: Date.parse(document.created_at),
        id: document.id,
        title: `Document: ${document.document_type}`,
        details: Object.values(document.images).map(({ identifier }) => identifier),
      })),
    ),
    mark: marks(context, entity, (effects) => whole(() => unrecordedMarks(context, entity, effects))),
    vault: whole(() => vaultWrites(context, entity)),
    created: whole(() => [{ at: entity.created_at, seq: 0, id: entity.fp_id, title: 'Created' }]),
  };
}

/** Few enough to be listed completely, in the form of the entity's masked view. */
function whole(list: () => readonly Occurrence[]): TimelineSource {
  let occurrences: readonly Occurrence[] | undefined;
  const all = () => (occurrences ??= list());
  return {
    before: (place, limit) =>
      all()
        .filter(({ at, seq }) => at < place.at || (at === place.at && seq < place.seq))
        .toSorted((one, next) => next.at - one.at || next.seq - one.seq)
        .slice(0, limit),
    count: () => all().length,
  };
}

/** The occurrences of a list that has the newest first, numbered from the oldest. */
function oldestFirst<T>(newestFirst: readonly T[], view: (item: T) => Omit<Occurrence, 'seq'>): Occurrence[] {
  return newestFirst.toReversed().map((item, seq) => ({ seq, ...view(item) }));
}

function events({ database }: InspectorContext, entity: EntityRow): TimelineSource {
  const about = { space: entity.space, fp_id: entity.fp_id };
  return {
    before(place, limit) {
      const rows = listEventsOf(database, { ...about, ...place, limit });
      const deliveries = listDeliveriesOf(
        database,
        rows.map(({ id }) => id),
      );
      return rows.map(({ id, seq, kind, created_at }) => ({
        at: created_at,
        seq,
        id,
        title: `${receiversText(deliveries.filter(({ event }) => event === id))}: event ${kind}`,
        details: deliveries
          .filter(({ event }) => event === id)
          .map(
            ({ status, attempts, url }) =>
              `${deliveryState(status, attempts)} after ${counted(attempts, 'attempt')}: ${url}`,
          ),
      }));
    },
    count: () => countEventsOf(database, about),
  };
}

function runs({ database, onboardings }: InspectorContext, entity: EntityRow): Occurrence[] {
  return onboardings
    .views(database, entity)
    .toReversed()
    .flatMap((run, index) => {
      const { id, playbook_key, status, requires_manual_review, created_at, completed_at } = run;
      const started = { at: Date.parse(created_at), seq: 2 * index, id };
      const begun: Occurrence = { ...started, title: `Onboarding started on ${playbook_key}` };
      if (completed_at === null) return [{ ...begun, details: [status] }];
      const ended = { at: Date.parse(completed_at), seq: 2 * index + 1, id };
      // The current state: the title must read the same after a later decision.
      const details = requires_manual_review ? ['waits for a decision by hand'] : [];
      return [begun, { ...ended, title: `Onboarding ended: ${status}`, details }];
    });
}

function signals(
  { database, onboardings, signals: found }: InspectorContext,
  entity: EntityRow,
): Occurrence[] {
  return onboardings
    .views(database, entity)
    .toReversed()
    .flatMap((run, seq) => {
      const all = found.ofOnboarding(database, run.id, entity.kind);
      const [first] = all;
      if (first === undefined) return [];
      const at = Date.parse(first.timestamp);
      return [{ at, seq, id: run.id, title: summary(all), details: all.map(wordOf) }];
    });
}

function summary(all: readonly RiskSignal[]): string {
  const parts = SEVERITIES.toReversed().flatMap((severity) => {
    const { length } = all.filter((signal) => signal.severity === severity);
    return length === 0 ? [] : [`${length} ${severity}`];
  });
  return `${counted(all.length, 'risk signal')}: ${parts.join(', ')}`;
}

function wordOf({ severity, reason_code }: RiskSignal): string {
  return `${severity} ${reason_code}`;
}

function unrecordedMarks(
  { labels }: InspectorContext,
  entity: EntityRow,
  effects: readonly string[],
): Occurrence[] {
  const { kind, created_at } = labels.label(entity);
  const unrecorded = labels.tags(entity).filter(({ tag }) => !effects.includes(`added ${tag}`));
  const tags = oldestFirst(unrecorded, ({ id, tag, created_at: at }) => ({
    at: Date.parse(at),
    id,
    title: `Tagged ${tag}`,
  }));
  const isActed = effects.some((effect) => effect.endsWith(` -> ${kind}`));
  if (kind === null || created_at === undefined || isActed) return tags;
  return [...tags, { at: Date.parse(created_at), seq: tags.length, title: `Labelled ${kind}` }];
}

function vaultWrites({ database }: InspectorContext, entity: EntityRow): Occurrence[] {
  return listVaultWrites(database, entity.id, entity.vault_version).map(
    ({ version, created_at, written, deleted }) => {
      const parts = [
        ...(written.length > 0 ? [`${counted(written.length, 'field')} written`] : []),
        ...(deleted.length > 0 ? [`${counted(deleted.length, 'field')} deleted`] : []),
      ];
      return {
        at: created_at,
        seq: version,
        title: `Vault version ${version}: ${parts.join(', ')}`,
        details: [...written, ...deleted.map((identifier) => `deleted ${identifier}`)],
      };
    },
  );
}

const END = Number.MAX_SAFE_INTEGER;

/** In this order: by time, then by kind, then latest first. */
function listTimeline(
  context: InspectorContext,
  { params, query }: Pick<RequestOf<'GET /_kyclone/entities/{fp_id}/timeline'>, 'params' | 'query'>,
): AnswerOf<'GET /_kyclone/entities/{fp_id}/timeline'> {
  const { database } = context;
  const entity = getEntity(database, spaceOf(database, query), params.fp_id);
  const wanted = query.kinds === undefined ? TIMELINE_KINDS : listParameter('kinds', query.kinds).map(kindOf);
  const all = timelineSources(context, entity);
  const sources = TIMELINE_KINDS.flatMap((kind, rank) =>
    wanted.includes(kind) ? [{ kind, rank, source: all[kind] }] : [],
  );
  return orderedPage(query, {
    by: { at: 'number', rank: 'number', seq: 'number' },
    list: ({ after, limit }) =>
      sources
        .flatMap(({ kind, rank, source }) => {
          const things = source.before(placeFor(rank, after), limit + 1);
          return things.map((thing) => ({ ...thing, kind, rank }));
        })
        .toSorted((one, next) => next.at - one.at || one.rank - next.rank || next.seq - one.seq)
        .slice(0, limit + 1),
    count: sources.reduce((sum, { source }) => sum + source.count(), 0),
    view: ({ at, kind, id = null, title, by = null, reason = null, details = [] }) => ({
      at: timestamp(at),
      kind,
      id,
      title,
      by,
      reason,
      details: [...details],
    }),
  });
}

/** The place at which a source continues after the last shown entry; its newest entry without one. */
function placeFor(rank: number, last: { at: number; rank: number; seq: number } | undefined) {
  if (last === undefined) return { at: END, seq: END };
  const { at, seq } = last;
  if (rank === last.rank) return { at, seq };
  return { at, seq: rank < last.rank ? -1 : END };
}

function kindOf(word: string): TimelineKind {
  const kind = TIMELINE_KINDS.find((known) => known === word);
  if (kind !== undefined) return kind;
  throw invalid(`Query parameter kinds must be a comma-separated list of ${TIMELINE_KINDS.join(', ')}`);
}

export { inspectedItem, maskedNames } from './entities.ts';

/** Other nouns have their own endpoints below an entity, such as bank links. */
type InspectedKeys = Extract<
  EndpointKey,
  | `${string} /_kyclone/entities`
  | `${string} /_kyclone/entities/{fp_id}`
  | `${string} /_kyclone/entities/{fp_id}/timeline`
>;

export function inspectorHandlers(context: InspectorContext): Handlers<InspectedKeys> {
  const { queue, vault, labels } = context;
  return {
    ...entityViews(context),
    'GET /_kyclone/entities/{fp_id}/timeline': (request) => answer(listTimeline(context, request)),
    /** Sets the device attributes of an entity, and its label (contract §6, §11). All or nothing. */
    'PATCH /_kyclone/entities/{fp_id}': ({ params, query, body, ...by }) =>
      doneWriting(queue, (database) => {
        const { label, reason, ...attributes } = body;
        const entity = getEntity(database, spaceOf(database, query), params.fp_id);
        if (Object.keys(attributes).length > 0) vault.setAttributes(database, entity, attributes);
        const call = callOfControl(by);
        if (label !== undefined) labels.writeLabel(database, entity, label, { call, reason });
      }),
  };
}
