export { labelHandlers } from './handlers.ts';
export { createLabels, type Labels, type TagRecord } from './service.ts';
