/** Events, stored together with the change that they report (contract §9, §4.7). */
import { jsonText, parseJson } from '../../../kernel/text/json.ts';
import type { EventKind } from '../facts.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { timestamp } from '../../../kernel/time/clock.ts';
import { newId } from '../../../kernel/ids/ids.ts';
import type { Database } from '../../../storage/database.ts';
import { unlessDamaged } from '../../../vault/envelope.ts';
import { DAMAGED_MASK } from '../../../vault/masked.ts';
import type { PrivateValues } from '../../../vault/private-values.ts';
import type { Space } from '../../api-keys/service/index.ts';
import type { LiveSettings } from '../../settings/service.ts';
import type { Stream } from '../../stream/service.ts';
import { wants } from './event-kinds.ts';
import { insertDelivery, insertEvent, isDeliveryId, isEventId, type EventRow } from './repository.ts';
import { invalid } from '../../../kernel/errors.ts';
import { getWebhook, listEnabledWebhooks } from './endpoints.ts';
import type { DeliveryTampering } from './verdict.ts';
import type { Needs } from '../../needs.ts';

export interface NewEvent {
  readonly kind: EventKind;
  readonly fp_id: string;
  /** Members in addition to event_kind, fp_id, is_live and timestamp; no personal data but in kinds of PRIVATE. */
  readonly members: Readonly<Record<string, unknown>>;
}

/** Within the write job of a change: reports it. */
export type Events = Pick<Outbox, 'emit'>;

type EventView = AnswerOf<'GET /_kyclone/events'>['data'][number];
type StoredEvent = Omit<EventRow, 'seq'>;

export interface WebhooksContext extends Needs<
  'queue' | 'clock' | 'random' | 'outbound' | 'acts' | 'privateValues' | 'wake'
> {
  readonly settings: LiveSettings;
  readonly stream: Pick<Stream, 'publish'>;
  /** The time-out for a response: 15 s (contract §9.1), in real time. */
  readonly timeoutMs?: number | undefined;
}

/** Everything must be called within a write job. */
export type Outbox = ReturnType<typeof createOutbox>;

/** `onDue` is called after the commit of due deliveries. */
export function createOutbox(
  context: Pick<WebhooksContext, 'queue' | 'clock' | 'random' | 'privateValues' | 'settings' | 'stream'> & {
    readonly onDue: () => void;
  },
) {
  const { queue, clock, random, settings, stream, privateValues, onDue } = context;

  /** Stores an event of any kind without deliveries. `at`: epoch milliseconds. */
  function store(
    database: Database,
    { space, tenant, environment }: Space,
    { kind, fp_id, members, at }: NewEvent & { at: number },
  ): StoredEvent {
    const body = {
      event_kind: `${settings.current.vocabulary.event_prefix}.${kind}`,
      fp_id,
      is_live: environment === 'live',
      timestamp: timestamp(at),
      ...members,
    };
    const id = newId('event', random, (taken) => isEventId(database, taken));
    const text = jsonText(body);
    const stored = {
      id,
      space,
      kind,
      fp_id,
      created_at: at,
      body: PRIVATE.has(kind) ? sealedBody(privateValues, id, text) : text,
    };
    insertEvent(database, stored);
    const view = eventView(privateValues, stored);
    queue.afterCommit(() => stream.publish('event', () => ({ ...view, tenant, environment })));
    return stored;
  }

  /**
   * The ids of the enabled endpoints of the space that subscribe to this kind, or of the endpoint that is asked for.
   * Throws `not_found`, and `invalid_request` when it is disabled.
   */
  function receivers(database: Database, space: Space, kind: EventKind, asked?: string): string[] {
    if (asked === undefined)
      return listEnabledWebhooks(database, space.space)
        .filter(({ kinds }) => wants(JSON.parse(kinds) as string[], kind))
        .map(({ id }) => id);
    if (getWebhook(database, space, asked).enabled) return [asked];
    throw invalid('webhook_id names a disabled endpoint: enable it first');
  }

  /** Creates a delivery that is due now; returns its id. */
  function deliver(
    database: Database,
    event: StoredEvent,
    webhook: string,
    tampering: DeliveryTampering = {},
  ): string {
    const id = newId('delivery', random, (taken) => isDeliveryId(database, taken));
    const isPlain = Object.keys(tampering).length === 0;
    insertDelivery(database, {
      id,
      event: event.id,
      webhook,
      tampering: isPlain ? null : JSON.stringify(tampering),
      created_at: clock.now(),
    });
    queue.afterCommit(onDue);
    return id;
  }

  return {
    store,
    receivers,
    deliver,
    /**
     * Stores the event and a delivery for each enabled endpoint of the space that subscribes to its kind. Only
     * onboarding.completed is emitted unless `events.extended` is set (contract §9.2).
     */
    emit(database: Database, space: Space, event: NewEvent): void {
      if (event.kind !== 'onboarding.completed' && !settings.current.events.extended) return;
      const stored = store(database, space, { ...event, at: clock.now() });
      for (const webhook of receivers(database, space, event.kind)) {
        deliver(database, stored, webhook);
      }
    },
  };
}

/** Kinds with a text about a person: the store has their bodies sealed. */
const PRIVATE: ReadonlySet<EventKind> = new Set(['user.info_requested']);
const SEALED = 'sealed:';

function sealedBody(privateValues: PrivateValues, id: string, text: string): string {
  return SEALED + Buffer.from(privateValues.seal('event body', id, text)).toString('base64');
}

/** The JSON text of an event, as it is signed and sent. Throws `vault_damaged`. */
export function bodyOf(privateValues: PrivateValues, { id, body }: Pick<StoredEvent, 'id' | 'body'>): string {
  if (!body.startsWith(SEALED)) return body;
  return privateValues.open('event body', id, Buffer.from(body.slice(SEALED.length), 'base64'));
}

/** An event whose body doesn't open is marked, and hides no other. */
export function eventView(privateValues: PrivateValues, event: StoredEvent): EventView {
  const { id, kind, fp_id, created_at } = event;
  const read = () => parseJson(bodyOf(privateValues, event)) as unknown as EventView['body'];
  const damaged = { event_kind: kind, fp_id, note: DAMAGED_MASK } as unknown as EventView['body'];
  return { id, kind, at: timestamp(created_at), body: unlessDamaged(read) ?? damaged };
}
