export { emulatorHandlers } from './handlers.ts';
export type { Instance } from './instance.ts';
export type { StoreCheck, StoreChecks } from './store-check.ts';
export { keyringOperations } from './keyring.ts';
