/**
 * `kyclone/browser`: the components of the service's browser SDK, drawn by an instance (contract §14). One module without
 * dependencies; `dist/browser.global.js` is the same as a plain script.
 */
export { configure } from './configure.ts';
export { init } from './init.ts';
export { ComponentKind } from './kinds.ts';
export { VaultError } from '../form/errors.ts';
export { default } from './kyclone.ts';
