export { emulatorHandlers, type Instance } from './handlers.ts';
export { keyringOperations } from './keyring.ts';
