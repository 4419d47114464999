import { openDatabase } from '../storage/database.ts';
import { scalarStatement } from '../storage/statement.ts';

/** The schema that the migrations leave, as SQL text in the order of the names. */
export function storeSchema(): string {
  const database = openDatabase(':memory:');
  try {
    const texts = scalarStatement<[], string>(
      'SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY tbl_name, type DESC, name',
    ).all(database);
    return texts.map((sql) => `${sql};\n`).join('\n');
  } finally {
    database.close();
  }
}
