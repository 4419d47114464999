/** One statement that inserts many rows: each run of a statement costs as much as the row that it inserts. */
import type { Database } from './database.ts';
import { statement, type Bindable, type Statement } from './statement.ts';

/** What a user is usually created with fits into one. A text is compiled for each number of rows. */
const ROWS_PER_STATEMENT = 24;

export interface Insertion<Row extends readonly Bindable[]> {
  /** Inserts them in this order. */
  run(database: Database, rows: readonly Row[]): void;
}

/** `head` is the text up to its VALUES; `Row` has one member for each of its `columns`. */
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
