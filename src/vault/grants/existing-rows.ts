/** A store from before there were seals: each of its rows gets one, once. */
import type { Database } from '../../storage/database.ts';
import { findValue, listRows, updateSeal } from './repository.ts';
import { sealOf, SETTINGS, storeSettings, updateGrantList } from './row-seals.ts';
import { GRANT_TABLES, type GrantTable } from './tables.ts';

const ROWS_AT_A_TIME = 1000;

/** In the transaction that marks the vault as one with seals. */
export function sealExistingRows(database: Database): void {
  for (const table of GRANT_TABLES) sealTable(database, table);
  const settings = findValue(database, SETTINGS);
  if (settings === undefined) updateGrantList(database);
  else storeSettings(database, settings);
}

function sealTable(database: Database, table: GrantTable): void {
  let after = 0;
  for (;;) {
    const rows = listRows(database, table, { after, limit: ROWS_AT_A_TIME });
    for (const row of rows) updateSeal(database, table, row.row, sealOf(database, table, row));
    if (rows.length < ROWS_AT_A_TIME) return;
    after = rows.at(-1)?.row ?? after;
  }
}
