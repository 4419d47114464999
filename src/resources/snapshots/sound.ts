/** Checks that a snapshot is not made of a damaged store, since it could replace a good one. */
import { stat } from 'node:fs/promises';
import { ServiceError } from '../../kernel/errors.ts';
import { MIB } from '../../kernel/units.ts';
import { openSnapshot } from '../../storage/snapshot-file.ts';
import { numberPragma } from '../../storage/binding.ts';
import type { PageCheck, SnapshotContext } from './context.ts';

/** Checking every page of this size takes some hundredths of a second. */
const SMALL_BYTES = 4 * MIB;

type SoundContext = Pick<SnapshotContext, 'database' | 'beginPageCheck'>;

/** The check of a large store, to be started before the draft is written: its process starts meanwhile. */
export function earlyCheck({ database, beginPageCheck }: SoundContext): PageCheck | undefined {
  if (database.memory) return undefined;
  const bytes = numberPragma(database, 'page_count') * numberPragma(database, 'page_size');
  return bytes > SMALL_BYTES ? beginPageCheck() : undefined;
}

/**
 * Checks the content of the draft and, if the store is a file, every page of it; a large one in a separate process, so
 * that requests don't wait. `early`: that process, if it was started before. Throws `vault_damaged`.
 */
export async function requireSound(
  { database, beginPageCheck }: SoundContext,
  draft: string,
  early?: PageCheck,
): Promise<void> {
  const isSmall = (await stat(draft)).size <= SMALL_BYTES;
  try {
    openSnapshot(draft, { isWhole: isSmall && !database.memory }).close();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'vault_damaged') throw error;
    throw damaged(error);
  }
  if (isSmall || database.memory || (await (early ?? beginPageCheck()).run(draft))) return;
  throw damaged();
}

function damaged(cause?: unknown): ServiceError {
  return new ServiceError(
    'vault_damaged',
    'The store is damaged, or not as kyclone made it: no snapshot was made. kyclone doctor --deep checks every page',
    { cause },
  );
}
