export { hitHandlers } from './handlers.ts';
export { createHits, type Hit, type Hits } from './service.ts';
