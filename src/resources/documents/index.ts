export { documentHandlers } from './handlers.ts';
export { joinOnboarding } from './repository.ts';
export { createDocuments, type DocumentRecord, type Documents } from './service.ts';
