export { keyringHandlers } from './handlers.ts';
export { createKeyringOperations, type KeyringOperations } from './service.ts';
