export { businessHandlers } from './handlers.ts';
