export { duplicateHandlers } from './handlers.ts';
export { createDuplicates, type DuplicateRecord, type Duplicates } from './service.ts';
