import type { Environment } from '../entities/facts.ts';

/** The name of a key of tenant `default` that every instance has (contract §11). */
export const localKeyName = (environment: Environment) => `default ${environment} key`;
