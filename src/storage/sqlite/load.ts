/** The SQLite of this process (docs/decisions/0015): Node's own from Node 22.16 on, before that a package. */
import { runInThisContext } from 'node:vm';
import { ServiceError } from '../../kernel/errors.ts';
import { ownRequire } from '../../kernel/program/own-require.ts';

/** As far as it is used here; the types of the oldest supported Node have nothing of it. */
export interface NativeStatement {
  get(...parameters: unknown[]): unknown;
  all(...parameters: unknown[]): unknown[];
  run(...parameters: unknown[]): { readonly changes: number; readonly lastInsertRowid: number | bigint };
  setReturnArrays(areArrays: boolean): void;
  setAllowUnknownNamedParameters(areAllowed: boolean): void;
}

export interface NativeDatabase {
  readonly isTransaction: boolean;
  prepare(sql: string): NativeStatement;
  exec(sql: string): void;
  close(): void;
}

/** The interface of `node:sqlite`, which the package has, too. */
export interface Sqlite {
  readonly DatabaseSync: new (
    path: string | URL,
    options?: { readonly readOnly?: boolean },
  ) => NativeDatabase;
  readonly backup: (
    from: NativeDatabase,
    path: string,
    options: { rate: number; progress: (pages: { remainingPages: number }) => void },
  ) => Promise<number>;
}

/** For a Node whose own SQLite is missing or lacks backups, tuples and file URLs. Its binaries are in the package. */
const PACKAGE = '@photostructure/sqlite';

export interface LoadedSqlite extends Sqlite {
  /** `node:sqlite`, or the name of the package. */
  readonly origin: string;
  /** Whether closing a database ends its statements, and so frees all that it holds. */
  readonly closesAtOnce: boolean;
}

let loaded: LoadedSqlite | undefined;

/** Throws `not_ready` when this Node has none and the package is missing or has no binary for the platform. */
export function sqlite(): LoadedSqlite {
  return (loaded ??= nodeSqlite() ?? packagedSqlite());
}

/** Undefined before Node 22.16. */
export function nodeSqlite(): LoadedSqlite | undefined {
  if (process.versions.sqlite === undefined) return undefined;
  const module = withoutItsWarning(
    () => process.getBuiltinModule('node:sqlite') as unknown as Sqlite | undefined,
  );
  return module && 'backup' in module ? { ...module, origin: 'node:sqlite', closesAtOnce: true } : undefined;
}

export function packagedSqlite(): LoadedSqlite {
  try {
    const { DatabaseSync, backup } = ownRequire(import.meta.url)(PACKAGE) as Sqlite;
    return { DatabaseSync, backup, origin: PACKAGE, closesAtOnce: false };
  } catch (cause) {
    const { node, napi } = process.versions;
    const isMissing = (cause as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND';
    throw new ServiceError(
      'not_ready',
      `Node ${node} has no SQLite that kyclone can use, and the package ${PACKAGE} ` +
        (isMissing
          ? 'is not installed: install kyclone again without --omit=optional'
          : `cannot be loaded on ${process.platform} ${process.arch} (Node-API ${napi ?? 'missing'})`) +
        ', or use Node 22.16 or later',
      { cause },
    );
  }
}

/**
 * Node 22 warns that its SQLite may change. A user of kyclone can do nothing about that. Node warns through its own
 * `process`. A test runner such as jest gives modules a copy, and Node's own is only found in Node's own context.
 */
function withoutItsWarning<T>(load: () => T): T {
  const nodes = runInThisContext('process') as NodeJS.Process;
  const emitWarning = nodes.emitWarning.bind(nodes) as (...given: unknown[]) => void;
  const before = Object.getOwnPropertyDescriptor(nodes, 'emitWarning');
  nodes.emitWarning = (warning: string | Error, ...given: unknown[]) => {
    if (given[0] === 'ExperimentalWarning' && String(warning).startsWith('SQLite ')) return;
    emitWarning(warning, ...given);
  };
  try {
    return load();
  } finally {
    if (before) Object.defineProperty(nodes, 'emitWarning', before);
    else Reflect.deleteProperty(nodes, 'emitWarning');
  }
}
