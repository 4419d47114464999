/** Shows events and deliveries, and sends events: again, or on demand (contract §9.1, §11). */
import type { EventKind } from '../facts.ts';
import type { AnswerOf, RequestOf } from '../../../contract/registry.ts';
import { viewAs } from '../../../contract/shapes.ts';
import { timestamp } from '../../../kernel/time/clock.ts';
import { cursorPage, decodeCursor, encodeCursor, pageSize } from '../../cursor.ts';
import { ServiceError, invalid } from '../../../kernel/errors.ts';
import { defined } from '../../../kernel/defined.ts';
import { newId } from '../../../kernel/ids/ids.ts';
import type { Randomness } from '../../../kernel/ids/random.ts';
import { SAMPLE_EVENTS, type SamplePlace } from '../../../fixtures/webhook-events.ts';
import { Delivery } from '../endpoints/index.ts';
import { findEntity, type EntityRow } from '../../entities/service/index.ts';
import type { DeliveryTampering } from './verdict.ts';
import type { Database } from '../../../storage/database.ts';
import { scannedPage, type Slice } from '../../../storage/scanned-page.ts';
import { inSpace, spaceOf, type Space } from '../../api-keys/service/index.ts';
import { kindOf } from './event-kinds.ts';
import { eventView, type Outbox, type WebhooksContext } from './events.ts';
import {
  findDelivery,
  findEvent,
  listAttempts,
  listDeliveries,
  listEvents,
  scanDeliveries,
  scanEvents,
  wordsOf,
  type DeliveryRow,
} from './repository.ts';
import { answer, type Handlers, type KeysUnder, written } from '../../handlers.ts';
import { callOfControl } from '../../../vault/access-entry.ts';

export type DeliveryView = AnswerOf<'GET /_kyclone/deliveries'>['data'][number];

/** Reads masked names in the tenant and environment of a query. */
export type NamesIn = (query: Parameters<typeof spaceOf>[1]) => (fpId: string) => string | null;

export function createDeliveries(context: WebhooksContext, outbox: Outbox, namesIn: NamesIn) {
  const { queue, clock, random, settings, privateValues, acts } = context;
  const { database } = queue;
  const kindNamed = (kind: string, what: string) =>
    kindOf(kind, { prefix: settings.current.vocabulary.event_prefix, what });
  const wantedKind = (kind: string | undefined) =>
    kind === undefined ? undefined : kindNamed(kind, 'Query parameter kind');

  /** A page of what `scan` finds, newest first. */
  async function page<Row extends { readonly seq: number }, View>(
    { cursor, page_size }: { readonly cursor?: string; readonly page_size?: number },
    scan: (below: number) => Slice,
    { list, view }: { list: (seqs: readonly number[]) => readonly Row[]; view: (row: Row) => View },
  ) {
    const size = pageSize(page_size);
    const before = cursor === undefined ? undefined : decodeCursor(cursor, ['number'])[0];
    const { seqs, count } = await scannedPage(database, scan, { before, limit: size });
    return answer(cursorPage(list(seqs), { size, count, cursorOf: ({ seq }) => encodeCursor(seq), view }));
  }

  return {
    'GET /_kyclone/events': async ({ query }) => {
      const { space } = spaceOf(database, query);
      const since = query.since === undefined ? undefined : Date.parse(query.since);
      const filter = { ...query, space, kind: wantedKind(query.kind), since };
      const nameOf = namesIn(query);
      return await page(query, (below) => scanEvents(database, filter, below), {
        list: (seqs) => listEvents(database, seqs),
        view(stored) {
          const event = eventView(privateValues, stored);
          // The body of a damaged event has its id, too.
          return { ...event, masked_name: nameOf(String(event.body['fp_id'])) };
        },
      });
    },

    'GET /_kyclone/deliveries': async ({ query }) => {
      const { space } = spaceOf(database, query);
      const filter = {
        ...query,
        space,
        kind: wantedKind(query.kind),
        error: wordsOf(query.error),
        q: wordsOf(query.q),
      };
      const nameOf = namesIn(query);
      return await page(query, (below) => scanDeliveries(database, filter, below), {
        list: (seqs) => withAttempts(database, listDeliveries(database, seqs)),
        view: (row) => ({ ...deliveryView(row), masked_name: nameOf(row.fp_id) }),
      });
    },

    'POST /_kyclone/events/{id}/resend': ({ params, query, body, ...by }) =>
      written(queue, (database) => {
        const space = spaceOf(database, query);
        const event = inSpace(space, findEvent(database, params.id), 'event');
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
      }),

    'POST /_kyclone/events/trigger': ({ query, body: request }) => {
      const { count = 1, tampering = {} } = request;
      const kind = kindNamed(request.kind, 'kind');
      requireFitting(kind, request.body ?? {});
      requirePossible(tampering, count);
      return written(queue, (database) => {
        const space = spaceOf(database, query);
        const entity = request.fp_id === undefined ? undefined : getSubject(database, space, request.fp_id);
        const receivers = outbox.receivers(database, space, kind, request.webhook_id);
        // A millisecond apart, the last of them now.
        const first = clock.now() - (count - 1);
        const stored = Array.from({ length: count }, (_, index) => {
          const fp_id = entity?.fp_id ?? newId('user', random);
          const members = { ...sample(kind, { space, entity, random }), ...request.body };
          return outbox.store(database, space, { kind, fp_id, members, at: first + index });
        });
        const copies = tampering.duplicate === true ? 2 : 1;
        const order = tampering.shuffle === true ? shuffled(stored, random) : stored;
        const deliveries = order
          .flatMap((event) => Array.from({ length: copies }, () => event))
          .flatMap((event) => receivers.map((webhook) => ({ event, webhook })))
          .map(({ event, webhook }) =>
            outbox.deliver(database, event, webhook, deliveryTampering(tampering)),
          );
        const [view, ...others] = stored.map((event) => eventView(privateValues, event));
        if (!view) throw new Error('an event was triggered no time');
        return { ...view, deliveries, ...(others.length > 0 && { others }) };
      });
    },
  } satisfies Handlers<KeysUnder<'/_kyclone/events' | '/_kyclone/deliveries'>>;
}

/** The current state; undefined when it is gone. */
export function viewOf(database: Database, id: string): DeliveryView | undefined {
  const row = findDelivery(database, id);
  return row && withAttempts(database, [row]).map(deliveryView)[0];
}

/** Each with its attempts, in order. */
function withAttempts(database: Database, rows: readonly DeliveryRow[]) {
  const ids = rows.map(({ id }) => id);
  const all = listAttempts(database, ids);
  return rows.map((row) => ({ ...row, made: all.filter(({ delivery }) => delivery === row.id) }));
}

const NOT_TRIED = { at: null, response_status: null, error: null, ms: null, hint: null };

function deliveryView({ made, ...row }: ReturnType<typeof withAttempts>[number]): DeliveryView {
  // `at` keeps its place among the members.
  const attempts = made.map(({ delivery: _delivery, ...attempt }) => ({
    ...attempt,
    at: timestamp(attempt.at),
  }));
  const last = attempts.at(-1);
  return viewAs(Delivery, {
    ...(last ?? NOT_TRIED),
    ...row,
    event_id: row.event,
    webhook_id: row.webhook,
    attempt: row.attempts,
    next_at: row.next_at === null ? null : timestamp(row.next_at),
    created_at: timestamp(row.created_at),
    attempts,
  });
}

// Events on demand: samples, and irregular deliveries to test receivers.

type Tampering = NonNullable<RequestOf<'POST /_kyclone/events/trigger'>['body']['tampering']>;

/** Members that identify the event and its entity. */
const FIXED_MEMBERS = ['event_kind', 'fp_id'];

function getSubject(database: Database, space: Space, fpId: string): EntityRow {
  const entity = findEntity(database, space, fpId);
  if (!entity) {
    throw new ServiceError('not_found', 'fp_id names no user or business of this tenant and environment');
  }
  return entity;
}

function requireFitting(kind: EventKind, body: Readonly<Record<string, unknown>>): void {
  for (const member of FIXED_MEMBERS) {
    if (Object.hasOwn(body, member)) throw invalid(`body.${member} is set from kind and fp_id: leave it out`);
  }
  const { status } = SAMPLE_EVENTS[kind];
  if (status && Object.hasOwn(body, status.member)) {
    if (status.words.some((word) => word === body[status.member])) return;
    throw invalid(`body.${status.member} must be one of ${status.words.join(', ')}`);
  }
  if (Object.hasOwn(body, 'status') && status?.member !== 'status') {
    const why = status ? `: send ${status.member} instead` : '';
    throw invalid(`Events ${kind} have no status${why}`);
  }
}

function requirePossible({ shuffle, drop_first, bad_signature, skew_ms }: Tampering, count: number): void {
  if (shuffle === true && count < 2) throw invalid('tampering.shuffle needs a count of 2 or more');
  if (skew_ms === 0) throw invalid('tampering.skew_ms must not be 0');
  if (drop_first === true && (bad_signature === true || skew_ms !== undefined)) {
    throw invalid(
      'tampering.drop_first cannot be combined with bad_signature or skew_ms, which make one attempt only',
    );
  }
}

function deliveryTampering({ shuffle, bad_signature, skew_ms, drop_first }: Tampering): DeliveryTampering {
  return {
    ...(shuffle === true && { serial: true }),
    ...(bad_signature === true && { bad_signature }),
    ...defined({ skew_ms }),
    ...(drop_first === true && { drop_first }),
  };
}

function sample(
  kind: EventKind,
  of: { space: Space; entity: EntityRow | undefined; random: Randomness },
): Record<string, unknown> {
  const { space, entity, random } = of;
  const stage = space.environment === 'live' ? 'live' : 'test';
  const flow = entity?.kind === 'business' ? 'kyb' : 'kyc';
  const places: Readonly<Record<SamplePlace, () => string | null>> = {
    $onboarding_id: () => newId('onboarding', random),
    $external_id: () => entity?.external_id ?? null,
    $playbook_key: () => `pb_${stage}_${flow}default000000000000`,
  };
  return Object.fromEntries(
    Object.entries(SAMPLE_EVENTS[kind].members).map(([member, value]) => {
      const isPlace = typeof value === 'string' && Object.hasOwn(places, value);
      return [member, isPlace ? places[value as SamplePlace]() : value];
    }),
  );
}

/** In a different order, the same for the same seed. */
function shuffled<T>(items: readonly T[], random: Randomness): T[] {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last--) {
    const [here, there] = [order[last], order[below(last + 1, random)]];
    if (here === undefined || there === undefined) continue;
    order[order.indexOf(there)] = here;
    order[last] = there;
  }
  const isSame = order.every((item, index) => item === items[index]);
  return isSame ? [...order.slice(1), ...order.slice(0, 1)] : order;
}

const DRAWN_CHARACTERS = 5;

/** A whole number from 0 to below `limit`, which is small. */
function below(limit: number, random: Randomness): number {
  const drawn = Buffer.from(random.id(DRAWN_CHARACTERS, 'shuffle'), 'latin1');
  return drawn.reduce((sum, character) => sum * 62 + character, 0) % limit;
}
