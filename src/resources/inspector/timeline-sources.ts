/** The sources of a timeline by kind, with words and names but no values. */
import { SEVERITIES } from '../../contract/facts/onboardings.ts';
import type { TimelineKind } from '../../contract/facts/timeline.ts';
import { counted } from '../../kernel/count-text.ts';
import { countAccessRowsOf, listAccessRowsBefore } from '../../vault/access-log-lists-repository.ts';
import type { AccessLog } from '../../vault/access-log.ts';
import { listVaultWrites } from '../../vault/repository.ts';
import type { EntityRow } from '../entities/index.ts';
import type { RiskSignal } from '../risk-signals/index.ts';
import { countEventsOf, listDeliveriesOf, listEventsOf } from '../webhooks/index.ts';
import { accessEntryView } from './access-log.ts';
import type { InspectorContext } from './entities.ts';

export type TimelineContext = InspectorContext & { readonly accessLog: AccessLog };

/** An entry of a timeline. `seq` orders entries of the same kind and time. */
export interface Occurrence {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly seq: number;
  readonly id?: string | null;
  readonly title: string;
  readonly by?: string | null;
  readonly reason?: string | null;
  readonly details?: readonly string[];
}

interface Place {
  readonly at: number;
  readonly seq: number;
}

/** The entries of one kind. */
export interface TimelineSource {
  /** The newest entries before the place, in any order. */
  before(place: Place, limit: number): readonly Occurrence[];
  count(): number;
}

export function timelineSources(
  context: TimelineContext,
  entity: EntityRow,
): Readonly<Record<TimelineKind, TimelineSource>> {
  return {
    read: reads(context, entity),
    event: events(context, entity),
    note: whole(() => notes(context, entity)),
    hit: whole(() => reviewedHits(context, entity)),
    decision: whole(() => decisions(context, entity)),
    signals: whole(() => signals(context, entity)),
    run: whole(() => runs(context, entity)),
    bank_link: whole(() =>
      oldestFirst(context.bankLinks.ofEntity(context.database, entity)).map((link, seq) => ({
        at: Date.parse(link.created_at),
        seq,
        id: link.id,
        title: `Bank linked: ${link.institution_name}`,
        details: [link.error_code === null ? link.state : `${link.state}: ${link.error_code}`],
      })),
    ),
    document: whole(() =>
      oldestFirst(context.documents.list(context.database, entity)).map((document, seq) => ({
        at: Date.parse(document.created_at),
        seq,
        id: document.id,
        title: `Document: ${document.document_type}`,
        details: Object.values(document.images).map(({ identifier }) => identifier),
      })),
    ),
    mark: whole(() => marks(context, entity)),
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

function oldestFirst<T>(items: readonly T[]): readonly T[] {
  return items.toReversed();
}

/** Accesses that show no value have titles of their own. */
const COMPARED: Readonly<Partial<Record<string, string>>> = {
  verify: 'Checked a stated value',
  compare: 'Compared with another entity',
};

function reads({ database, accessLog }: TimelineContext, { fp_id }: EntityRow): TimelineSource {
  return {
    before: (place, limit) =>
      listAccessRowsBefore(database, fp_id, place, limit).map((row) => {
        const entry = accessEntryView(row, accessLog);
        const { operation, outcome, actor, operator, identifiers } = entry;
        return {
          at: Date.parse(entry.at),
          seq: entry.seq,
          id: entry.request_id,
          reason: entry.reason,
          title:
            outcome === 'granted' ? (COMPARED[operation] ?? `Read: ${operation}`) : `Refused: ${operation}`,
          by: operator ?? `${actor.kind} ${actor.id}`,
          details: identifiers,
        };
      }),
    count: () => countAccessRowsOf(database, fp_id),
  };
}

function events({ database }: TimelineContext, entity: EntityRow): TimelineSource {
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
        title: `Event ${kind}`,
        details: deliveries
          .filter(({ event }) => event === id)
          .map(({ status, attempts, url }) => `${status} after ${counted(attempts, 'attempt')}: ${url}`),
      }));
    },
    count: () => countEventsOf(database, about),
  };
}

function decisions({ database, decisions: made }: TimelineContext, entity: EntityRow): Occurrence[] {
  return oldestFirst(made.all(database, entity)).map((decision, seq) => ({
    at: Date.parse(decision.timestamp),
    seq,
    id: decision.playbook_key,
    title: `Decided ${decision.kind === 'manual' ? 'by hand' : 'by a run'}: ${decision.status}`,
    by: decision.reviewer_email,
    reason: decision.annotation,
  }));
}

function notes({ database, notes: written }: TimelineContext, entity: EntityRow): Occurrence[] {
  return oldestFirst(written.all(database, entity)).map(({ id, text, operator, created_at }, seq) => ({
    at: Date.parse(created_at),
    seq,
    id,
    title: 'Note',
    by: operator,
    reason: text,
  }));
}

function reviewedHits({ database, hits }: TimelineContext, entity: EntityRow): Occurrence[] {
  return hits
    .reviews(database, entity)
    .map(({ onboarding_id, reason_code, decision, reason, operator, at }, seq) => ({
      at: Date.parse(at),
      seq,
      id: onboarding_id,
      by: operator,
      reason,
      title: `Hit ${reason_code}: ${decision === 'confirmed' ? 'confirmed' : 'a false positive'}`,
    }));
}

function runs({ database, onboardings }: TimelineContext, entity: EntityRow): Occurrence[] {
  return oldestFirst(onboardings.views(database, entity)).flatMap((run, index) => {
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
  { database, onboardings, signals: found }: TimelineContext,
  entity: EntityRow,
): Occurrence[] {
  return oldestFirst(onboardings.views(database, entity)).flatMap((run, seq) => {
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

function marks({ labels }: TimelineContext, entity: EntityRow): Occurrence[] {
  const { kind, created_at } = labels.label(entity);
  const tags = oldestFirst(labels.tags(entity)).map(({ id, tag, created_at: at }, seq) => ({
    at: Date.parse(at),
    seq,
    id,
    title: `Tagged ${tag}`,
  }));
  if (kind === null || created_at === undefined) return tags;
  return [...tags, { at: Date.parse(created_at), seq: tags.length, title: `Labelled ${kind}` }];
}

function vaultWrites({ database }: TimelineContext, entity: EntityRow): Occurrence[] {
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
