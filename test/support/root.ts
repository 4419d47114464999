import { join } from 'node:path';

/** The folder of the package. */
export const ROOT = join(import.meta.dirname, '..', '..');
