export { resetHandlers } from './handlers.ts';
