/** The playbooks that a caller could have named, for messages about one that wasn't named, or doesn't exist. */
import type { PlaybookKind } from '../../contract/facts/onboardings.ts';
import type { Database } from '../../storage/database.ts';
import { listPlaybooks } from './repository.ts';

const NAMED = 5;

/**
 * `pb_test_… (kyc), pb_test_… (document)`: the newest of these kinds in this space; the empty text where there are
 * none.
 */
export function playbookChoices(database: Database, space: number, kinds: readonly PlaybookKind[]): string {
  const playbooks = kinds.flatMap((kind) =>
    listPlaybooks(database, { space, kind }, { after: undefined, limit: NAMED }),
  );
  const named = playbooks.slice(0, NAMED).map(({ key, kind }) => `${key} (${kind})`);
  return [...named, ...(playbooks.length > NAMED ? ['and more'] : [])].join(', ');
}
