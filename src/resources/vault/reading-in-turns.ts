/** Values of a vault, read a few at a time, so that others have their turns while a request reads a thousand. */
import { nextTurn } from '../../kernel/turns.ts';
import type { Database } from '../../storage/database.ts';
import type { IdentifierReference } from '../../vault/identifiers/index.ts';
import type { StoredValue, Vault } from '../../vault/vault.ts';
import type { EntityRow } from '../entities/index.ts';

/** Each is up to 32 KiB, which takes a millisecond to open. */
const REFERENCES_PER_TURN = 16;

/**
 * `Vault.reveal` in turns, as of one version. A value whose history is destroyed meanwhile is absent; `requireEntity`
 * is asked after each turn and throws when the entity is gone.
 */
export async function revealInTurns(
  vault: Vault,
  database: Database,
  request: {
    readonly entity: EntityRow;
    readonly references: readonly IdentifierReference[];
    readonly version: number;
    readonly requireEntity: () => void;
  },
): Promise<Map<string, StoredValue | undefined>> {
  const { entity, references, version, requireEntity } = request;
  const values = new Map<string, StoredValue | undefined>();
  for (let start = 0; start < references.length; start += REFERENCES_PER_TURN) {
    if (start > 0) {
      await nextTurn();
      requireEntity();
    }
    const some = references.slice(start, start + REFERENCES_PER_TURN);
    for (const [text, value] of vault.reveal(database, entity, { references: some, version })) {
      values.set(text, value);
    }
  }
  return values;
}
