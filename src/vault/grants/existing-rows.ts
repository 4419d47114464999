/** Adds seals to the rows of an older store that has none, or not all of them. */
import type { Database } from '../../storage/database.ts';
import { findValue } from '../../storage/instance-values.ts';
import { listRows, updateSeal } from './repository.ts';
import { requireEarlierSeal, sealOf, SETTINGS, storeSettings, updateGrantList } from './row-seals.ts';
import { GRANT_TABLES, GRANTS, type Grant, type GrantTable, type SealGeneration } from './tables.ts';

const ROWS_AT_A_TIME = 1000;
const BEFORE_ALL = { rowid: 0, digest: new Uint8Array() };

/**
 * Runs in the transaction that marks the vault as fully sealed. Throws `vault_damaged` for a row that differs from its
 * existing seal.
 */
export function sealExistingRows(database: Database, from: SealGeneration): void {
  for (const table of GRANT_TABLES) {
    if (GRANTS[table].since > from || isSealedAnew(table, from)) sealTable(database, table, from);
  }
  if (from > 0) return;
  const settings = findValue(database, SETTINGS);
  if (settings === undefined) updateGrantList(database);
  else storeSettings(database, settings);
}

/** Whether its seals of that generation cover fewer columns than now. */
function isSealedAnew(table: GrantTable, from: SealGeneration): boolean {
  const { before }: Grant = GRANTS[table];
  return before !== undefined && from < before.generation;
}

function sealTable(database: Database, table: GrantTable, from: SealGeneration): void {
  let after: number | Uint8Array = BEFORE_ALL[GRANTS[table].key];
  for (;;) {
    const rows = listRows(database, table, { after, limit: ROWS_AT_A_TIME });
    for (const row of rows) {
      if (GRANTS[table].since <= from) requireEarlierSeal(database, table, row, row.seal);
      updateSeal(database, table, row.row, sealOf(database, table, row));
    }
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_AT_A_TIME) return;
    after = last.row;
  }
}
