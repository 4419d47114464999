/** Reads values of a vault in small batches, so that other work continues while a request reads a thousand. */
import type { Held } from '../../kernel/byte-budget.ts';
import { nextTurn } from '../../kernel/turns.ts';
import type { Database } from '../../storage/database.ts';
import { storedText } from '../../vault/encoding.ts';
import { StoredFile } from '../../vault/files/index.ts';
import type { IdentifierReference } from '../../vault/identifiers/index.ts';
import type { StoredValue, Vault } from '../../vault/vault.ts';
import type { EntityRow } from '../entities/index.ts';

/** Each is up to 32 KiB, which takes a millisecond to open. */
const REFERENCES_PER_TURN = 16;
/** Its bytes, its text, that text within the response, and uncollected garbage of these. */
const COPIES_OF_VALUE = 5;

type Values = ReadonlyMap<string, StoredValue | undefined>;

/**
 * `Vault.reveal` in batches, in one version. A value whose history is destroyed in the meantime is absent;
 * `requireEntity` is called after each batch and throws when the entity is gone. Values are counted as they are opened,
 * files when they are read: throws `overloaded` when there is no room for them.
 */
export function revealInTurns(
  vault: Vault,
  database: Database,
  request: {
    readonly entity: EntityRow;
    readonly references: readonly IdentifierReference[];
    readonly version: number;
    readonly requireEntity: () => void;
    readonly held: Held;
  },
): Values | Promise<Values> {
  const { entity, references, version } = request;
  // Most requests read a few: in one turn, and without a promise.
  if (references.length > REFERENCES_PER_TURN) return revealMany(vault, database, request);
  return counted(vault.reveal(database, entity, { references, version }), request.held);
}

async function revealMany(...[vault, database, request]: Parameters<typeof revealInTurns>): Promise<Values> {
  const { entity, references, version, requireEntity, held } = request;
  const values = new Map<string, StoredValue | undefined>();
  for (let start = 0; start < references.length; start += REFERENCES_PER_TURN) {
    if (start > 0) {
      await nextTurn();
      requireEntity();
    }
    const some = references.slice(start, start + REFERENCES_PER_TURN);
    const read = counted(vault.reveal(database, entity, { references: some, version }), held);
    for (const [text, value] of read) values.set(text, value);
  }
  return values;
}

function counted(values: Values, held: Held): Values {
  for (const value of values.values()) held.take(COPIES_OF_VALUE * sizeOf(value));
  return values;
}

/** Characters, which approximate the bytes. */
function sizeOf(value: StoredValue | undefined): number {
  return value === undefined || value instanceof StoredFile ? 0 : storedText(value).length;
}
