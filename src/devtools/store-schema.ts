import { openDatabase } from '../storage/database.ts';
import { scalarStatement } from '../storage/statement.ts';

/** The schema after all migrations, as SQL text sorted by name. */
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
