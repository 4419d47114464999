/** Node's own SQLite wherever Node has one, else better-sqlite3. */
import { ServiceError } from '../../kernel/errors.ts';
import { betterSqlite3 } from './better-sqlite3.ts';
import { DRIVERS, type Driver } from './driver.ts';
import { nodeSqlite } from './node-sqlite.ts';

/** For tests of this repository (docs/testing.md): the driver that must be used. */
const FORCED = 'KYCLONE_TEST_SQLITE';

let chosen: Driver | undefined;

/** The driver of this process. Throws `not_ready` when there is no SQLite. */
export function chosenDriver(): Driver {
  return (chosen ??= choose(process.env[FORCED]));
}

function choose(forced = ''): Driver {
  if (forced !== '' && !(DRIVERS as readonly string[]).includes(forced)) {
    throw new ServiceError('not_ready', `${FORCED} must be one of ${DRIVERS.join(', ')}, not ${forced}`);
  }
  const own = forced === 'better-sqlite3' ? undefined : nodeSqlite();
  if (own) return own;
  if (forced === 'node:sqlite') {
    throw new ServiceError(
      'not_ready',
      `Node ${process.versions.node} has no SQLite that the store can use: leave ${FORCED} unset, or use Node 22.13 or later`,
    );
  }
  return betterSqlite3();
}
