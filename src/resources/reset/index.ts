export { resetHandlers } from './handlers.ts';
export { createReset, type Reset, type ResetAnswer, type ResetRequest } from './service.ts';
