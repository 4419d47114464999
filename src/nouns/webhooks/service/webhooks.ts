/** The interface and dependencies of webhooks (contract §9, §11). */
import type { AnswerOf, RequestOf } from '../../../contract/registry.ts';
import type { Database } from '../../../storage/database.ts';
import type { AccessCall } from '../../../vault/access-entry.ts';
import type { DueSource } from '../../clock/service/index.ts';
import type { LiveSettings } from '../../settings/service.ts';
import type { Stream } from '../../stream/service.ts';
import type { Events } from './events.ts';
import type { Needs } from '../../needs.ts';

type Query<K extends 'GET /_kyclone/webhooks' | 'GET /_kyclone/events' | 'GET /_kyclone/deliveries'> =
  RequestOf<K>['query'];
type SpaceChoice = RequestOf<'POST /_kyclone/webhooks'>['query'];
type Endpoint = AnswerOf<'POST /_kyclone/webhooks'>;

export interface Webhooks {
  readonly events: Events;
  /** Delivery attempts. */
  readonly due: DueSource;
  list(query: Query<'GET /_kyclone/webhooks'>): AnswerOf<'GET /_kyclone/webhooks'>;
  create(space: SpaceChoice, body: RequestOf<'POST /_kyclone/webhooks'>['body']): Promise<Endpoint>;
  get(id: string, query: RequestOf<'GET /_kyclone/webhooks/{id}'>['query']): Endpoint;
  change(
    id: string,
    space: SpaceChoice,
    body: RequestOf<'PATCH /_kyclone/webhooks/{id}'>['body'],
  ): Promise<Endpoint>;
  remove(id: string, space: SpaceChoice): Promise<void>;
  rotate(id: string, space: SpaceChoice): Promise<Endpoint>;
  listEvents(query: Query<'GET /_kyclone/events'>): Promise<AnswerOf<'GET /_kyclone/events'>>;
  trigger(
    space: SpaceChoice,
    body: RequestOf<'POST /_kyclone/events/trigger'>['body'],
  ): Promise<AnswerOf<'POST /_kyclone/events/trigger'>>;
  resend(
    eventId: string,
    request: Pick<RequestOf<'POST /_kyclone/events/{id}/resend'>, 'query' | 'body'> & {
      readonly call: AccessCall;
    },
  ): Promise<AnswerOf<'POST /_kyclone/events/{id}/resend'>>;
  listDeliveries(query: Query<'GET /_kyclone/deliveries'>): Promise<AnswerOf<'GET /_kyclone/deliveries'>>;
  /** Call it in the write job of a reset: deletes events and deliveries; with `hard` endpoints, too. */
  reset(database: Database, options: { hard: boolean }): { events: number; deliveries: number };
  /** Starts no more attempts and abandons those in flight, which are repeated after the next start. */
  stop(): Promise<void>;
}

export interface WebhooksContext extends Needs<
  'queue' | 'clock' | 'random' | 'outbound' | 'acts' | 'privateValues' | 'wake'
> {
  readonly settings: LiveSettings;
  readonly stream: Stream;
  /** The time-out for a response: 15 s (contract §9.1), in real time. */
  readonly timeoutMs?: number | undefined;
}
