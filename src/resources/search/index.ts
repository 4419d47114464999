export { searchHandlers } from './handlers.ts';
export { createSearch, type Search } from './service.ts';
