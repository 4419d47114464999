export type { Events, NewEvent } from './events.ts';
export { webhookHandlers } from './handlers.ts';
export { createWebhooks, type Webhooks } from './service.ts';
