/** Slices of long work on a store, between which other requests have their turn. */
import { ServiceError } from '../kernel/errors.ts';
import { nextTurn } from '../kernel/turns.ts';
import type { Database } from './database.ts';

/**
 * Resolves at the caller's next turn. Throws `not_ready` when the store was closed meanwhile: a load or a reset has
 * replaced it, or the daemon stops.
 */
export async function nextTurnOf(database: Database): Promise<void> {
  await nextTurn();
  if (!database.open)
    throw new ServiceError(
      'not_ready',
      'The state was replaced while the request was in progress: repeat it',
    );
}
