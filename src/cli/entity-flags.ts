import { string } from '@oclif/core/flags';
import { fieldFlags, liveFlag, luhnHeader } from './flags.ts';

export const createFlags = {
  'external-id': string({
    summary: 'id of yours; creating it again gives the same one back',
    helpValue: 'ID',
  }),
  'idempotency-id': string({ summary: 'makes repeating this call harmless', helpValue: 'ID' }),
  'sandbox-id': string({ summary: 'id in the sandbox, where none is to be made up', helpValue: 'ID' }),
  ...fieldFlags,
  ...liveFlag,
};

interface CreateFlags {
  readonly 'external-id'?: string | undefined;
  readonly 'idempotency-id'?: string | undefined;
  readonly 'sandbox-id'?: string | undefined;
  readonly 'ignore-luhn': boolean;
}

/** The headers of creating a user or a business (contract §2.1). */
export function createHeaders(flags: CreateFlags) {
  return {
    'x-external-id': flags['external-id'],
    'x-idempotency-id': flags['idempotency-id'],
    'x-sandbox-id': flags['sandbox-id'],
    ...luhnHeader(flags),
  };
}
