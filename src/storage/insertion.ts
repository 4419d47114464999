/** Inserts many rows with one statement, since each run of a statement costs as much as inserting a row. */
import type { Database } from './database.ts';
import { statement, type Bindable, type Statement } from './statement.ts';

/** Covers the usual creation of a user. A text is compiled for each number of rows. */
const ROWS_PER_STATEMENT = 24;

export interface Insertion<Row extends readonly Bindable[]> {
  /** Inserts the rows in this order. */
  run(database: Database, rows: readonly Row[]): void;
}

/** `head` is the SQL before VALUES; `Row` has one member for each of its `columns`. */
export function insertion<Row extends readonly Bindable[]>(
  head: string,
  columns: Row['length'],
): Insertion<Row> {
  const row = `(${Array.from({ length: columns }, () => '?').join(', ')})`;
  const byCount: Statement<readonly Bindable[], never>[] = [];
  const ofRows = (count: number) =>
    (byCount[count] ??= statement<readonly Bindable[]>(
      `${head} VALUES ${Array(count).fill(row).join(', ')}`,
    ));
  return {
    run(database, rows) {
      for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
        const some = rows.slice(from, from + ROWS_PER_STATEMENT);
        ofRows(some.length).run(database, ...some.flat());
      }
    },
  };
}
