/** Shows events and deliveries, and sends events again (contract §9.1, §11). */
import type { AnswerOf } from '../../../contract/registry.ts';
import { timestamp } from '../../../kernel/clock.ts';
import { cursorPage, decodeCursor, encodeCursor, pageSize } from '../../../kernel/cursor.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import type { Database } from '../../../storage/database.ts';
import { scannedPage } from '../../../storage/scanned-page.ts';
import { spaceOf } from '../../api-keys/service/index.ts';
import { kindOf } from './event-kinds.ts';
import { eventView, type Outbox } from './events.ts';
import {
  findDelivery,
  findEvent,
  listAttempts,
  listDeliveries,
  listEvents,
  scanDeliveries,
  scanEvents,
  wordsOf,
  type AttemptRow,
  type DeliveryRow,
} from './repository.ts';
import type { WebhooksContext } from './events.ts';
import { answer, answered, type Handlers } from '../../handlers.ts';
import { callOfControl } from '../../../vault/access-entry.ts';

export type DeliveryView = AnswerOf<'GET /_kyclone/deliveries'>['data'][number];

/** Reads masked names in the tenant and environment of a query. */
export type NamesIn = (query: Parameters<typeof spaceOf>[1]) => (fpId: string) => string | null;

export function createDeliveries(
  { queue, settings, privateValues, acts }: WebhooksContext,
  outbox: Outbox,
  namesIn: NamesIn,
) {
  const wantedKind = (kind: string | undefined) =>
    kind === undefined
      ? undefined
      : kindOf(kind, { prefix: settings.current.vocabulary.event_prefix, what: 'Query parameter kind' });

  return {
    'GET /_kyclone/events': async ({ query }) => {
      const { space } = spaceOf(queue.database, query);
      const size = pageSize(query.page_size);
      const filter = {
        space,
        kind: wantedKind(query.kind),
        id: query.event_id,
        fp_id: query.fp_id,
        since: query.since === undefined ? undefined : Date.parse(query.since),
      };
      const { database } = queue;
      const scan = (below: number) => scanEvents(database, filter, below);
      const { seqs, count } = await scannedPage(database, scan, {
        before: placeOf(query.cursor),
        limit: size,
      });
      const nameOf = namesIn(query);
      return answer(
        cursorPage(listEvents(database, seqs), {
          size,
          count,
          cursorOf: ({ seq }) => encodeCursor(seq),
          view(stored) {
            const event = eventView(privateValues, stored);
            // The body of a damaged event has its id, too.
            return { ...event, masked_name: nameOf(String(event.body['fp_id'])) };
          },
        }),
      );
    },

    'GET /_kyclone/deliveries': async ({ query }) => {
      const { space } = spaceOf(queue.database, query);
      const size = pageSize(query.page_size);
      const filter = {
        space,
        kind: wantedKind(query.kind),
        webhook: query.webhook_id,
        event: query.event_id,
        fp_id: query.fp_id,
        external_id: query.external_id,
        status: query.status,
        error: query.error === undefined ? undefined : wordsOf(query.error),
        q: query.q === undefined ? undefined : wordsOf(query.q),
      };
      const { database } = queue;
      const scan = (below: number) => scanDeliveries(database, filter, below);
      const { seqs, count } = await scannedPage(database, scan, {
        before: placeOf(query.cursor),
        limit: size,
      });
      const rows = listDeliveries(database, seqs);
      const attempts = attemptsOf(database, rows);
      const nameOf = namesIn(query);
      return answer(
        cursorPage(rows, {
          size,
          count,
          cursorOf: ({ seq }) => encodeCursor(seq),
          view: (row) => ({
            ...deliveryView(row, attempts.get(row.id) ?? []),
            masked_name: nameOf(row.fp_id),
          }),
        }),
      );
    },

    'POST /_kyclone/events/{id}/resend': ({ params, query, body, ...by }) => {
      const created = queue.write((database) => {
        const space = spaceOf(database, query);
        const event = findEvent(database, params.id);
        if (event?.space !== space.space) {
          throw new ServiceError('not_found', 'No event of this tenant and environment has this id');
        }
        const receivers = outbox.receivers(database, space, event.kind, body?.webhook_id);
        const created = receivers.map((webhook) => outbox.deliver(database, event, webhook));
        const effect = `${event.id} to ${receivers.join(', ') || 'no webhook endpoint'}`;
        const { tenant, environment } = space;
        const subject = { tenant, environment, fp_id: event.fp_id };
        acts.record(database, callOfControl(by), subject, {
          operation: 'resend',
          effect,
          reason: body?.reason,
        });
        return { data: created.flatMap((id) => viewOf(database, id) ?? []) };
      });
      return answered(created);
    },
  } satisfies Handlers<
    'GET /_kyclone/events' | 'GET /_kyclone/deliveries' | 'POST /_kyclone/events/{id}/resend'
  >;
}

/** The current state; undefined when it is gone. */
export function viewOf(database: Database, id: string): DeliveryView | undefined {
  const row = findDelivery(database, id);
  return row && deliveryView(row, listAttempts(database, [id]));
}

function placeOf(cursor: string | undefined): number | undefined {
  return cursor === undefined ? undefined : decodeCursor(cursor, ['number'])[0];
}

function attemptsOf(
  database: Database,
  deliveries: readonly DeliveryRow[],
): ReadonlyMap<string, readonly AttemptRow[]> {
  const byDelivery = new Map<string, AttemptRow[]>();
  for (const attempt of listAttempts(
    database,
    deliveries.map(({ id }) => id),
  )) {
    const known = byDelivery.get(attempt.delivery);
    if (known) known.push(attempt);
    else byDelivery.set(attempt.delivery, [attempt]);
  }
  return byDelivery;
}

function deliveryView(row: DeliveryRow, attempts: readonly AttemptRow[]): DeliveryView {
  const last = attempts.at(-1);
  return {
    id: row.id,
    event_id: row.event,
    webhook_id: row.webhook,
    fp_id: row.fp_id,
    external_id: row.external_id,
    kind: row.kind,
    url: row.url,
    attempt: row.attempts,
    at: last ? timestamp(last.at) : null,
    next_at: row.next_at === null ? null : timestamp(row.next_at),
    status: row.status,
    response_status: last?.response_status ?? null,
    error: last?.error ?? null,
    ms: last?.ms ?? null,
    hint: last?.hint ?? null,
    created_at: timestamp(row.created_at),
    attempts: attempts.map(({ delivery: _delivery, at, ...attempt }) => ({ ...attempt, at: timestamp(at) })),
  };
}
