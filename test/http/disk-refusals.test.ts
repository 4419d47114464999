import { expect, test } from 'vitest';
import { asServiceError } from '../../src/http/errors.ts';

const systemError = (code: string, syscall: string, path?: string) =>
  Object.assign(new Error(code), { code, syscall, path });
const sqliteError = (code: string) =>
  Object.assign(new Error('disk I/O error'), { name: 'SqliteError', code });

test.each([
  [systemError('ENOSPC', 'fsync'), 'storage_full', /No space is left/],
  [sqliteError('SQLITE_FULL'), 'storage_full', /No space is left/],
  [
    systemError('EIO', 'rename', '/data/one.kysnap'),
    'storage_failed',
    /\/data\/one\.kysnap .*\(EIO\); check the disk/,
  ],
  [systemError('EROFS', 'open', '/data/x'), 'storage_failed', /\/data\/x .*read-only \(EROFS\)/],
  [systemError('EACCES', 'open', '/data/x'), 'storage_failed', /\/data\/x .*permission denied \(EACCES\)/],
  [sqliteError('SQLITE_IOERR_TRUNCATE'), 'storage_failed', /SQLITE_IOERR_TRUNCATE.*check its disk/],
  [systemError('ECONNREFUSED', 'connect'), 'internal_error', /Something went wrong inside/],
  [new TypeError('a bug'), 'internal_error', /Something went wrong inside/],
])('a refusal of the disk is reported precisely: %s', (error, code, message) => {
  const refusal = asServiceError(error);
  expect(refusal.code).toBe(code);
  expect(refusal.message).toMatch(message);
});
