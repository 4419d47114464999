export { emulatorHandlers, type Instance } from './handlers.ts';
export { resumeRewrapping } from './keyring.ts';
