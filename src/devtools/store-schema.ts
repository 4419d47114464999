import { openDatabase } from '../storage/database.ts';

/** The schema that the migrations leave, as SQL text in the order of the names. */
export function storeSchema(): string {
  const database = openDatabase(':memory:');
  try {
    const statements = database
      .prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY tbl_name, type DESC, name')
      .pluck()
      .all() as string[];
    return statements.map((sql) => `${sql};\n`).join('\n');
  } finally {
    database.close();
  }
}
