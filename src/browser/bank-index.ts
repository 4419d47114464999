/** The entry of `kyclone/browser/bank-link`. */
export { configure } from './configure.ts';
export { default, launch } from './bank.ts';
