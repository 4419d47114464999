export { controlHandlers, type StoreCheck, type StoreChecks } from './handlers.ts';
export type { Instance } from './instance.ts';
export { pageHandlers } from './pages.ts';
