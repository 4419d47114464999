/** Webhook endpoints, events and deliveries (contract §9, §11): assembles the parts. */
import { createDeliveries } from './deliveries.ts';
import { createDispatcher } from './dispatcher.ts';
import { createEndpoints } from './endpoints.ts';
import { createOutbox } from './events.ts';
import { deleteAllEvents } from './repository.ts';
import { deleteAllWebhooks } from './endpoints-repository.ts';
import { createTrigger } from './trigger.ts';
import type { Webhooks, WebhooksContext } from './webhooks.ts';

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
