/** Lists playbooks for error messages about a missing or unknown one. */
import type { PlaybookKind } from '../../contract/facts/onboardings.ts';
import type { Database } from '../../storage/database.ts';
import { listPlaybooks } from './repository.ts';

const NAMED = 5;

/** `pb_test_… (kyc), pb_test_… (document)`: the newest of these kinds in this space; empty when there are none. */
export function playbookChoices(database: Database, space: number, kinds: readonly PlaybookKind[]): string {
  const playbooks = kinds.flatMap((kind) =>
    listPlaybooks(database, { space, kind }, { after: undefined, limit: NAMED }),
  );
  const named = playbooks.slice(0, NAMED).map(({ key, kind }) => `${key} (${kind})`);
  return [...named, ...(playbooks.length > NAMED ? ['and more'] : [])].join(', ');
}
