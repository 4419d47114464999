export { resetHandlers } from './handlers.ts';
export { createReset, type Reset } from './service.ts';
