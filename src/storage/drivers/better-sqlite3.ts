/** SQLite through better-sqlite3, an optional peer: for a Node whose own SQLite is missing or does too little. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import { ServiceError } from '../../kernel/errors.ts';
import { bundledPackage } from './bundled-package.ts';
import type { Database, Driver } from './driver.ts';
import { backedUp } from './first-step.ts';

const PACKAGE = 'better-sqlite3';
/** Where an install of the package puts its binary. The package itself would look in a dozen places. */
const BINARY = 'build/Release/better_sqlite3.node';
/** The first Node under which the objects of the package end the process when the garbage collector takes them. */
const ABORTING_NODE = 24;

type Open = (given: string | Buffer, options?: BetterSqlite3.Options) => Database;

/** Throws `not_ready` when the package or its binary is missing, or made for another Node. */
export function betterSqlite3(): Driver {
  const open = loaded();
  return {
    name: PACKAGE,
    backsUpInSteps: true,
    open: (path, options) => open(path, options),
    openInMemory: (path) => open(readFileSync(path)),
    openContent: (content) => open(Buffer.from(content.buffer, content.byteOffset, content.byteLength)),
  };
}

function loaded(): Open {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= ABORTING_NODE) {
    throw new ServiceError(
      'not_ready',
      `better-sqlite3 is not used under Node ${node}, for it ends the process there: leave KYCLONE_TEST_SQLITE unset`,
    );
  }
  const require = createRequire(import.meta.url);
  const { Given, folder } = load(
    () => installed(require),
    `Node ${node} has no SQLite that kyclone can use, and the package better-sqlite3 is not installed: ` +
      'run npm install better-sqlite3@12 where kyclone is installed, or use Node 22.13 or later',
  );
  // It takes the binary itself, whatever its type says.
  const nativeBinding = load(
    () => require(join(folder, BINARY)) as string,
    `The binary of better-sqlite3 is missing: ${REBUILD}`,
  );
  return (given, options) => adapted(new Given(given, { ...options, timeout: 0, nativeBinding }));
}

/** The code of the installed package, from the bundle where that has the same version, and its folder. */
function installed(require: NodeJS.Require): { Given: typeof BetterSqlite3; folder: string } {
  const description = require.resolve(`${PACKAGE}/package.json`);
  const { version } = JSON.parse(readFileSync(description, 'utf8')) as { readonly version?: unknown };
  const Given =
    bundledPackage && bundledPackage.version === version
      ? bundledPackage.load()
      : (require(PACKAGE) as typeof BetterSqlite3);
  return { Given, folder: dirname(description) };
}

const REBUILD = 'npm rebuild better-sqlite3, where kyclone is installed, makes it anew';

function load<T>(run: () => T, missing: string): T {
  try {
    return run();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const isMissing = code === 'MODULE_NOT_FOUND';
    throw new ServiceError(
      'not_ready',
      isMissing ? missing : `The binary of better-sqlite3 cannot be loaded: ${REBUILD}`,
      { cause },
    );
  }
}

/** It is what the seam asks for, all but the backup. */
function adapted(native: BetterSqlite3.Database): Database {
  const backup = native.backup.bind(native);
  const own: Pick<Database, 'backup'> = {
    backup: (path, { pagesAtATime, onStep }) =>
      backedUp(async () => {
        const { totalPages } = await backup(path, {
          progress: ({ remainingPages }) => (onStep(remainingPages) ? pagesAtATime : 0),
        });
        // It calls a copy done of which no page is known yet.
        return totalPages > 0;
      }),
  };
  // Its types keep a statement with named parameters apart from one with a list; the seam takes either.
  const both: unknown = Object.assign(native, own);
  return both as Database;
}
