import { expect, test } from 'vitest';
import { isSqliteError } from '../../src/storage/database.ts';
import { asSqliteError, resultName } from '../../src/storage/sqlite/database.ts';

/** The codes of https://sqlite.org/rescode.html. */
test.each([
  [1, 'SQLITE_ERROR'],
  [5, 'SQLITE_BUSY'],
  [13, 'SQLITE_FULL'],
  [14, 'SQLITE_CANTOPEN'],
  [26, 'SQLITE_NOTADB'],
  [267, 'SQLITE_CORRUPT_VTAB'],
  [516, 'SQLITE_ABORT_ROLLBACK'],
  [522, 'SQLITE_IOERR_SHORT_READ'],
  [1034, 'SQLITE_IOERR_FSYNC'],
  [1032, 'SQLITE_READONLY_DBMOVED'],
  [1546, 'SQLITE_IOERR_TRUNCATE'],
  [1555, 'SQLITE_CONSTRAINT_PRIMARYKEY'],
  [2067, 'SQLITE_CONSTRAINT_UNIQUE'],
  [3082, 'SQLITE_IOERR_NOMEM'],
  [3091, 'SQLITE_CONSTRAINT_DATATYPE'],
  [8458, 'SQLITE_IOERR_CORRUPTFS'],
  [779, 'SQLITE_CORRUPT_INDEX'],
  [4 + 256, 'SQLITE_ABORT'],
  [13 + 256 * 9, 'SQLITE_FULL'],
  [200, 'SQLITE_ERROR'],
])('resultName: %i is %s', (code, name) => {
  expect(resultName(code)).toBe(name);
});

test("asSqliteError: recognises errors of Node's own SQLite by code, and leaves others unchanged", () => {
  const thrown = Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 1034 });
  const error = asSqliteError(thrown);
  expect(error).toMatchObject({ name: 'SqliteError', message: 'disk I/O error', cause: thrown });
  expect(isSqliteError(error, 'SQLITE_IOERR')).toBe(true);
  expect(isSqliteError(error, 'SQLITE_IOERR_FSYNC')).toBe(true);
  expect(isSqliteError(error, 'SQLITE_IO')).toBe(false);
  const other = new Error('SQLITE_IOERR');
  expect(asSqliteError(other)).toBe(other);
  expect(isSqliteError(other, 'SQLITE_IOERR')).toBe(false);
});
