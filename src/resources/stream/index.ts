export { streamHandlers } from './handlers.ts';
export { createStream, type Stream } from './service.ts';
