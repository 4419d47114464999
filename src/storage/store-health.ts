/**
 * Damage found in an open store. SQLite keeps no checksums, so damage is only found when a page is read. After the
 * first failed read nothing more is written to that store. Reads of other pages continue.
 */
import { ServiceError } from '../kernel/errors.ts';
import type { Database } from './binding.ts';
import { forgetRows } from './kept-rows.ts';

const DAMAGE_CODES =
  /^SQLITE_(?:CORRUPT(?:_.*)?|NOTADB|IOERR_READ|IOERR_SHORT_READ|IOERR_CORRUPTFS|IOERR_DATA)$/;

const damaged = new WeakMap<Database, ServiceError>();

/** Whether SQLite could not read or parse a page. */
export function isPageDamage(error: unknown): boolean {
  // Checks the name: the native module keeps the class of its first loader, and a test runner loads it for each file.
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  return name === 'SqliteError' && typeof code === 'string' && DAMAGE_CODES.test(code);
}

/** Marks the store as damaged. Returns the error for the request that found the damage. */
export function reportDamage(database: Database, cause?: unknown): ServiceError {
  const error = new ServiceError(
    'vault_damaged',
    'A page of the store is damaged and cannot be read; nothing is written until the store is restored from a copy or a snapshot',
    { cause },
  );
  return damaged.get(database) ?? rememberDamage(database, error);
}

/** Marks the store as damaged for a reason other than an unreadable page. Returns the error. */
export function rememberDamage(database: Database, damage: ServiceError): ServiceError {
  if (!damaged.has(database)) damaged.set(database, damage);
  forgetRows(database);
  return damage;
}

/** The damage found in this run, if any. */
export function damageOf(database: Database): ServiceError | undefined {
  return damaged.get(database);
}
