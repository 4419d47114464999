/**
 * `kyclone/browser`: the components of the service's browser SDK, drawn by an instance (contract §14). One module without
 * dependencies; `dist/browser.global.js` is the same as a plain script.
 */
export { configure } from './configure.ts';
export { ComponentKind, default, init } from './init.ts';
export { VaultError } from '../form/errors.ts';
