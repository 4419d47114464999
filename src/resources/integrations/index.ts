export { integrationHandlers } from './handlers.ts';
export { createIntegrations, type Integrations } from './service.ts';
