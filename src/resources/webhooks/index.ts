export type { Events, NewEvent } from './events.ts';
export { webhookHandlers } from './handlers.ts';
export { countEventsOf, listDeliveriesOf, listEventsOf } from './entity-events-repository.ts';
export { copyWebhooks } from './endpoints-repository.ts';
export { createWebhooks } from './service.ts';
export type { Webhooks } from './webhooks.ts';
