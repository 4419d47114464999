/** The entry of `kyclone/browser/react`. */
export { configure } from './configure.ts';
export { init } from './init.ts';
export { ComponentKind } from './kinds.ts';
export { VaultError } from '../form/errors.ts';
export { default } from './kyclone.ts';
export { FieldErrors, Field, Form, Fp, Input, Label, Provider, useVault, VerifyButton } from './react.ts';
