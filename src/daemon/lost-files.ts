/** Sealed files that the store names, and its folder of files lacks. */
import type { Database } from '../storage/binding.ts';
import type { BlobStore } from '../storage/blobs.ts';
import { statement } from '../storage/statement.ts';
import { isFileName } from '../vault/repository.ts';

const NAMED = statement<[], { name: string; identifier: string | null; fp_id: string | null }>(
  `SELECT name, identifier, fp_id FROM vault_files JOIN entities ON entities.id = vault_files.entity
  UNION ALL SELECT name, NULL, NULL FROM held_files`,
);

/** A sentence about each. The store has to be of the current schema. */
export async function lostFiles(database: Database, blobs: Pick<BlobStore, 'has'>): Promise<string[]> {
  const problems: string[] = [];
  for (const { name, identifier, fp_id } of NAMED.all(database)) {
    // A file that was deleted meanwhile isn't lost.
    if ((await blobs.has(name)) || !isFileName(database, { name })) continue;
    const what = identifier === null ? 'a hosted flow that is open' : `${identifier} of ${fp_id}`;
    problems.push(`the sealed file of ${what} is missing`);
  }
  return problems;
}
