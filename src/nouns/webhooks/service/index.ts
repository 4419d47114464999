/** Webhook endpoints, events and deliveries (contract §9, §11): assembles the parts. */
import type { EndpointKey, RequestOf } from '../../../contract/registry.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { callOfControl } from '../../../vault/access-entry.ts';
import { answer, answered, type Handlers, done } from '../../handlers.ts';
import { createDeliveries } from './deliveries.ts';
import { createDispatcher } from './dispatcher.ts';
import { deleteAllWebhooks } from './endpoints-repository.ts';
import { createEndpoints } from './endpoints.ts';
import { createOutbox } from './events.ts';
import { deleteAllEvents } from './repository.ts';
import { createTrigger } from './trigger.ts';
import type { Webhooks, WebhooksContext } from './webhooks.ts';

export type { Events, NewEvent } from './events.ts';
export { countEventsOf, listDeliveriesOf, listEventsOf } from './repository.ts';
export { copyWebhooks } from './endpoints-repository.ts';
export type { Webhooks } from './webhooks.ts';

type Space = RequestOf<'GET /_kyclone/events'>['query'];

type WebhookKeys = Extract<
  EndpointKey,
  `${string} /_kyclone/${'webhooks' | 'events' | 'deliveries'}${string}`
>;

/** `namesIn` reads masked names in the tenant and environment of a query. */
export function webhookHandlers(
  webhooks: Webhooks,
  namesIn: (query: Space) => (fpId: string) => string | null,
): Handlers<WebhookKeys> {
  return {
    'GET /_kyclone/webhooks': ({ query }) => answer(webhooks.list(query)),
    'POST /_kyclone/webhooks': ({ query, body }) => answered(webhooks.create(query, body)),
    'GET /_kyclone/webhooks/{id}': ({ params, query, revealsSecrets }) => {
      if (query.reveal && !revealsSecrets) {
        throw new ServiceError('permission_denied', 'This console session may not reveal the secret');
      }
      return answer(webhooks.get(params.id, query));
    },
    'PATCH /_kyclone/webhooks/{id}': ({ params, query, body }) =>
      answered(webhooks.change(params.id, query, body)),
    'DELETE /_kyclone/webhooks/{id}': ({ params, query }) => done(webhooks.remove(params.id, query)),
    'POST /_kyclone/webhooks/{id}/rotate': ({ params, query }) => answered(webhooks.rotate(params.id, query)),
    'GET /_kyclone/events': async ({ query }) => {
      const { data, meta } = await webhooks.listEvents(query);
      const nameOf = namesIn(query);
      // The body of a damaged event has its id, too.
      const named = data.map((event) => ({ ...event, masked_name: nameOf(String(event.body['fp_id'])) }));
      return answer({ data: named, meta });
    },
    'POST /_kyclone/events/trigger': ({ query, body }) => answered(webhooks.trigger(query, body)),
    'POST /_kyclone/events/{id}/resend': ({ params, query, body, ...by }) =>
      answered(webhooks.resend(params.id, { query, body, call: callOfControl(by) })),
    'GET /_kyclone/deliveries': async ({ query }) => {
      const { data, meta } = await webhooks.listDeliveries(query);
      const nameOf = namesIn(query);
      return answer({ data: data.map((one) => ({ ...one, masked_name: nameOf(one.fp_id) })), meta });
    },
  };
}

export function createWebhooks(context: WebhooksContext): Webhooks {
  const dispatcher = createDispatcher(context);
  const onDue = () => {
    dispatcher.look();
    context.wake();
  };
  const outbox = createOutbox({ ...context, onDue });

  return {
    events: { emit: (database, space, event) => outbox.emit(database, space, event) },
    due: dispatcher.due,
    ...createEndpoints({ ...context, onDue }),
    ...createDeliveries(context, outbox),
    trigger: createTrigger(context, outbox),
    reset(database, { hard }) {
      dispatcher.forget();
      const deleted = deleteAllEvents(database);
      if (hard) deleteAllWebhooks(database);
      return deleted;
    },
    stop: () => dispatcher.stop(),
  };
}
