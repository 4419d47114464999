/**
 * Looks for damaged pages. SQLite keeps no checksums of pages. It can detect a malformed page, rows out of order, and
 * an index that disagrees with its table. A change inside a stored value is detected when its seal is opened. A change
 * in a plain column may not be detected at all.
 */
import { numberPragma, type Database } from './binding.ts';

/** 64 MiB, or 80,000 users: a full check takes less than half a second. */
const WHOLE_CHECK_PAGES = 16_384;
/** In a larger store, each table is read at both ends and at this number of places in between. */
const SAMPLES_PER_TABLE = 6;
const ROWS_PER_SAMPLE = 24;

export interface TableCheck {
  readonly table: string;
  /** In SQLite's words, which name tables, indexes, pages and rows and contain no value. */
  readonly problems: readonly string[];
}

/**
 * The check of a start. A store of up to 64 MiB is checked completely, so that nothing in it is reported as missing;
 * a larger one at some places in each table. Returns the first problem, or undefined.
 */
export function quickLook(database: Database): string | undefined {
  try {
    const pages = numberPragma(database, 'page_count');
    if (pages <= WHOLE_CHECK_PAGES) return checkWhole(database, 'integrity_check(1)')[0];
    for (const table of tablesOf(database)) readSamples(database, table);
    return undefined;
  } catch (error) {
    return describe(error);
  }
}

/** Checks every page of every table and its indexes; large tables take a while. */
export function* checkTables(database: Database): Generator<TableCheck> {
  for (const table of tablesOf(database)) {
    yield { table, problems: problemsOf(database, `integrity_check(${quoted(table)})`) };
  }
}

/** Checks the whole file, including pages that belong to no table or to two. */
export function checkWhole(database: Database, pragma = 'integrity_check'): string[] {
  const problems = problemsOf(database, pragma);
  // A store of an earlier version may lack the table.
  if (problems.length > 0 || !tablesOf(database).includes('fingerprint_listing')) return problems;
  const unlisted = database.prepare<[], number>(UNLISTED).pluck().get();
  return unlisted === undefined ? [] : [`fingerprint of row ${unlisted} of entities missing from its table`];
}

/**
 * An entity with a fingerprint that the table of fingerprints lacks, although it covers the entity. That table has no
 * second index, with which SQLite could compare it. A search refuses a fingerprint that names another entity.
 */
const UNLISTED = `SELECT entities.id FROM entities, json_each(entities.fingerprints) AS slot
  WHERE entities.id <= (SELECT up_to FROM fingerprint_listing)
    AND NOT EXISTS (SELECT 1 FROM fingerprints WHERE digest = unhex(slot.value)) LIMIT 1`;

export function countTables(database: Database): number {
  return tablesOf(database).length;
}

function tablesOf(database: Database): string[] {
  return database
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
    )
    .pluck()
    .all();
}

/** Reads every column, so that overflow pages of long values are read, too. */
function readSamples(database: Database, table: string): void {
  const name = quoted(table);
  const hasRowIds =
    database.prepare("SELECT 1 FROM pragma_table_list(?) WHERE wr = 0 AND schema = 'main'").get(table) !==
    undefined;
  if (!hasRowIds) {
    database.prepare(`SELECT * FROM ${name} LIMIT ${ROWS_PER_SAMPLE}`).all();
    return;
  }
  const last = database.prepare<[], number | null>(`SELECT max(rowid) FROM ${name}`).pluck().get() ?? 0;
  const sample = database.prepare<[number]>(
    `SELECT * FROM ${name} WHERE rowid >= ? ORDER BY rowid LIMIT ${ROWS_PER_SAMPLE}`,
  );
  for (let place = 0; place <= SAMPLES_PER_TABLE; place++) {
    sample.all(
      Math.max(0, Math.floor((last * place) / SAMPLES_PER_TABLE) - (place > 0 ? ROWS_PER_SAMPLE - 1 : 0)),
    );
  }
}

function problemsOf(database: Database, pragma: string): string[] {
  try {
    const lines = (database.pragma(pragma) as { integrity_check: string }[]).flatMap(({ integrity_check }) =>
      integrity_check.split('\n'),
    );
    return lines.filter((line) => line !== 'ok' && !line.startsWith('*** in database'));
  } catch (error) {
    return [describe(error)];
  }
}

function describe(error: unknown): string {
  return error instanceof Error || typeof (error as { message?: unknown }).message === 'string'
    ? (error as Error).message
    : 'unknown';
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
