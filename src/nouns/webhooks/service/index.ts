/** Webhook endpoints, events and deliveries (contract §9, §11): assembles the parts. */
import type { Database } from '../../../storage/database.ts';
import { createDeliveries, type NamesIn } from './deliveries.ts';
import { createDispatcher } from './dispatcher.ts';
import { createEndpoints, deleteAllWebhooks } from './endpoints.ts';
import { createOutbox, type WebhooksContext } from './events.ts';
import { deleteAllEvents } from './repository.ts';

export type { Events, NewEvent } from './events.ts';
export { countEventsOf, listDeliveriesOf, listEventsOf } from './repository.ts';
export { copyWebhooks } from './endpoints.ts';

export type Webhooks = ReturnType<typeof createWebhooks>;

export function createWebhooks(context: WebhooksContext) {
  const dispatcher = createDispatcher(context);
  const onDue = () => {
    dispatcher.look();
    context.wake();
  };
  const outbox = createOutbox({ ...context, onDue });

  return {
    events: outbox,
    /** Delivery attempts. */
    due: dispatcher.due,
    handlers: (namesIn: NamesIn) => ({
      ...createEndpoints({ ...context, onDue }),
      ...createDeliveries(context, outbox, namesIn),
    }),
    /** Call it in the write job of a reset: deletes events and deliveries; with `hard` endpoints, too. */
    reset(database: Database, { hard }: { hard: boolean }): { events: number; deliveries: number } {
      dispatcher.forget();
      const deleted = deleteAllEvents(database);
      if (hard) deleteAllWebhooks(database);
      return deleted;
    },
    /** Starts no more attempts and abandons those in flight, which are repeated after the next start. */
    stop: () => dispatcher.stop(),
  };
}
