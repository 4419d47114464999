export { documentHandlers } from './handlers.ts';
export { createDocuments, type DocumentRecord, type Documents } from './service.ts';
