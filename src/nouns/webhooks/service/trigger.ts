/** Events on demand (contract §11, trigger): samples, and irregular deliveries to test receivers. */
import type { EventKind } from '../facts.ts';
import type { RequestOf } from '../../../contract/registry.ts';
import { ServiceError, invalid } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Randomness } from '../../../kernel/random.ts';
import type { Database } from '../../../storage/database.ts';
import { SAMPLE_EVENTS, type SamplePlace } from '../../../fixtures/webhook-events.ts';
import { spaceOf, type Space } from '../../api-keys/service/index.ts';
import { findEntity, type EntityRow } from '../../entities/service/index.ts';
import { kindOf } from './event-kinds.ts';
import { eventView, type Outbox } from './events.ts';
import type { WebhooksContext } from './events.ts';
import type { DeliveryTampering } from './verdict.ts';
import { answered, type Handlers } from '../../handlers.ts';
import { defined } from '../../../kernel/defined.ts';

type TriggerBody = RequestOf<'POST /_kyclone/events/trigger'>['body'];
type Tampering = NonNullable<TriggerBody['tampering']>;

/** Members that identify the event and its entity. */
const FIXED_MEMBERS = ['event_kind', 'fp_id'];

export function createTrigger(
  context: WebhooksContext,
  outbox: Outbox,
): Handlers<'POST /_kyclone/events/trigger'>['POST /_kyclone/events/trigger'] {
  const { queue, clock, random, settings, privateValues } = context;

  return ({ query, body: request }) => {
    const { count = 1, tampering = {} } = request;
    const kind = kindOf(request.kind, {
      prefix: settings.current.vocabulary.event_prefix,
      what: 'kind',
    });
    requireFitting(kind, request.body ?? {});
    requirePossible(tampering, count);
    const triggered = queue.write((database) => {
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
        .map(({ event, webhook }) => outbox.deliver(database, event, webhook, deliveryTampering(tampering)));
      const [view, ...others] = stored.map((event) => eventView(privateValues, event));
      if (!view) throw new Error('an event was triggered no time');
      return { ...view, deliveries, ...(others.length > 0 && { others }) };
    });
    return answered(triggered);
  };
}

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
