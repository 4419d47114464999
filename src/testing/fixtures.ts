import type { Client } from '../client/client.ts';
import { KycloneError } from './errors.ts';

/** Makes the calls of each file, one after the other. */
export async function runFixtureFiles(files: readonly string[], client: Client): Promise<void> {
  if (files.length === 0) return;
  await Promise.resolve(client);
  throw new KycloneError('invalid_option', 'Option fixtures is not there yet');
}
