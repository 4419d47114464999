// The SQLite that kyclone uses under this Node, for the bare programs that it is measured against.
import { createRequire } from 'node:module';

const own = process.getBuiltinModule('node:sqlite');
export const { DatabaseSync } = own?.backup ? own : createRequire(import.meta.url)('@photostructure/sqlite');
