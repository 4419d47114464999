/**
 * What an open store has shown to be wrong with it. SQLite keeps no checksums of its pages, so that damage shows where
 * a page is read: the first read that fails is remembered, and from then on nothing is written to that store. Reads of
 * other pages go on.
 */
import { ServiceError } from '../kernel/errors.ts';
import type { Database } from './binding.ts';
import { forgetRows } from './kept-rows.ts';

const DAMAGE_CODES =
  /^SQLITE_(?:CORRUPT(?:_.*)?|NOTADB|IOERR_READ|IOERR_SHORT_READ|IOERR_CORRUPTFS|IOERR_DATA)$/;

const damaged = new WeakMap<Database, ServiceError>();

/** Whether SQLite could not read a page, or could not make sense of it. */
export function isPageDamage(error: unknown): boolean {
  // By its name: the native module keeps the class of its first loader, and a test runner loads it for each file.
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  return name === 'SqliteError' && typeof code === 'string' && DAMAGE_CODES.test(code);
}

/** Remembers that a page of the store is damaged. Returns what the request that met it fails with. */
export function reportDamage(database: Database, cause?: unknown): ServiceError {
  const error = new ServiceError(
    'vault_damaged',
    'A page of the store is damaged and cannot be read; nothing is written until the store is restored from a copy or a snapshot',
    { cause },
  );
  return damaged.get(database) ?? rememberDamage(database, error);
}

/** Remembers damage that has shown in another way than by a page that can't be read. Returns it. */
export function rememberDamage(database: Database, damage: ServiceError): ServiceError {
  if (!damaged.has(database)) damaged.set(database, damage);
  forgetRows(database);
  return damage;
}

/** The damage that this run has met, if any. */
export function damageOf(database: Database): ServiceError | undefined {
  return damaged.get(database);
}
