/** `kyclone/testing`: a whole instance inside a test. */
export { FixtureError } from '../client/fixtures/errors.ts';
export { ApiError, MissingCredentialError, UnreachableError } from '../client/errors.ts';
export type * from './api.ts';
export { KycloneError, type KycloneErrorCode } from './errors.ts';
export { startKyclone } from './start.ts';
