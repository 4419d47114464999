/** Compares two snapshots entity by entity. Opens and returns no value. */
import { openDatabase, type Database } from './database.ts';
import { COLUMNS, FROM, prepareQueries, TO, type HeldRow, type ComparedSide } from './snapshot-queries.ts';
import { CURRENT_SCHEMA, openSnapshot, translated, type SnapshotFile } from './snapshot-file.ts';
import { nextTurn } from '../kernel/turns.ts';

export interface DifferingIdentifier {
  readonly fp_id: string;
  readonly identifier: string;
  readonly change: 'added' | 'removed' | 'changed';
}

export interface Differences {
  /** Entities that only this snapshot has. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly identifiers: readonly DifferingIdentifier[];
  /** Entities in both: other differences, by aspect. */
  readonly aspects: readonly { readonly fp_id: string; readonly aspect: string }[];
}

/** Migrates a writable copy of a snapshot to the current schema, for a comparison. */
export function migrateSnapshot(path: string): void {
  translated(() => {
    const database = openDatabase(path);
    try {
      database.pragma('journal_mode = DELETE');
    } finally {
      database.close();
    }
  });
}

/** Whether a snapshot must be migrated before it can be compared. */
export function isOlder({ schema }: Pick<SnapshotFile, 'schema'>): boolean {
  return schema < CURRENT_SCHEMA;
}

/**
 * Compares two snapshots of the current schema. Works in slices of entities, yields to other work after each, and calls
 * `onSlice`. Throws `vault_damaged`.
 */
export async function compareSnapshots(
  from: string,
  to: string,
  { onSlice }: { onSlice?: () => void } = {},
): Promise<Differences> {
  const opened = openSnapshot(from, { isWhole: false });
  const { database } = opened;
  try {
    openSnapshot(to, { isWhole: false }).close();
    translated(() => database.prepare<[string]>(`ATTACH ? AS ${TO}`).run(to));
    const compare = translated(() => createSliceComparison(database));
    const found: Found = { added: [], removed: [], identifiers: [], aspects: [] };
    const count = (side: ComparedSide) => countEntities(database, side);
    const [before, now] = translated(() => [count(FROM), count(TO)]);
    for (const side of [FROM, TO] as const) {
      // All entities are in both, so the other side has no additional ones.
      if (side === TO && now === before - found.removed.length) break;
      for (let after = 0; ;) {
        await nextTurn();
        const last = translated(() => compare(side, after, found));
        onSlice?.();
        if (last === undefined) break;
        after = last;
      }
    }
    return found;
  } finally {
    opened.close();
  }
}

function countEntities(database: Database, side: ComparedSide): number {
  return database.prepare<[], number>(`SELECT count(*) FROM ${side}.entities`).pluck().get() ?? 0;
}

type Found = { -readonly [Name in keyof Differences]: Differences[Name][number][] };

/** An entity in both snapshots, by its row ids. */
interface Pair {
  readonly fpId: string;
  readonly one: number;
  readonly other: number;
}

/**
 * Compares the next entities of a side after a row id, notes differences and returns the last row id; undefined when
 * there are no more. Entities in both are compared during the pass over the first side.
 */
function createSliceComparison(
  database: Database,
): (side: ComparedSide, after: number, found: Found) => number | undefined {
  const { entities, held, valuesOnly, countValues, aspects } = prepareQueries(database);
  const heldBy = (side: ComparedSide, rows: readonly number[]) =>
    rows.length === 0 ? [] : held[side].all(JSON.stringify(rows));

  function compareValues(pairs: readonly Pair[], changed: ReadonlySet<number>, found: Found): void {
    const compared = pairs.filter(({ one, other }) => one !== other || changed.has(one));
    const keyOf = ([fpId, identifier]: HeldRow) => `${fpId} ${identifier}`;
    const before = new Map(
      heldBy(
        FROM,
        compared.map(({ one }) => one),
      ).map((row) => [keyOf(row), row] as const),
    );
    for (const row of heldBy(
      TO,
      compared.map(({ other }) => other),
    )) {
      const key = keyOf(row);
      const earlier = before.get(key);
      before.delete(key);
      if (earlier && isSameValue(earlier, row)) continue;
      const change = earlier ? 'changed' : 'added';
      found.identifiers.push({ fp_id: row[0], identifier: row[1], change });
    }
    for (const [fp_id, identifier] of before.values()) {
      found.identifiers.push({ fp_id, identifier, change: 'removed' });
    }
  }

  function entitiesWithOtherValues([low, high]: readonly [number, number]): number[] {
    const only = (side: ComparedSide) => valuesOnly[side].all({ low, high }).map(([entity]) => entity);
    const changed = only(FROM);
    // A key names one value: if the counts are equal and each has its equal, the sets are the same.
    const [one, other] = countValues.map((statement) => statement.get({ low, high }));
    return changed.length === 0 && one === other ? [] : [...changed, ...only(TO)];
  }

  /** Compares entities by ranges if they have the same row id in both, as in snapshots of one store. */
  function comparePairs(pairs: readonly Pair[], range: readonly [number, number], found: Found): void {
    const alike = new Set(pairs.filter(({ one, other }) => one === other).map(({ fpId }) => fpId));
    const moved = pairs.filter(({ one, other }) => one !== other);
    const changed = new Set(alike.size === 0 ? [] : entitiesWithOtherValues(range));
    compareValues(pairs, changed, found);
    const [low, high] = range;
    const moves = {
      one: JSON.stringify(moved.map(({ one }) => one)),
      other: JSON.stringify(moved.map(({ other }) => other)),
    };
    for (const { name, inRange, ofRows } of aspects) {
      const differing = [
        ...(alike.size === 0 ? [] : inRange.all({ low, high }).filter(([fpId]) => alike.has(fpId))),
        ...(moved.length === 0 ? [] : ofRows.all(moves)),
      ];
      for (const [fp_id] of differing) found.aspects.push({ fp_id, aspect: name });
    }
  }

  return (side, after, found) => {
    const rows = entities[side].all(after);
    const [first, last] = [rows[0], rows.at(-1)];
    if (!first || !last) return undefined;
    const alone = rows.filter(([, , other]) => other === null);
    found[side === FROM ? 'removed' : 'added'].push(...alone.map(([fpId]) => fpId));
    const change = side === FROM ? 'removed' : 'added';
    for (const [fp_id, identifier] of heldBy(
      side,
      alone.map(([, one]) => one),
    )) {
      found.identifiers.push({ fp_id, identifier, change });
    }
    if (side === TO) return last[1];
    const pairs = rows.flatMap(([fpId, one, other]) => (other === null ? [] : [{ fpId, one, other }]));
    for (const [fp_id, , other, ...changed] of rows) {
      if (other === null) continue;
      for (const [index, aspect] of COLUMNS.entries()) {
        if (changed[index] === 1) found.aspects.push({ fp_id, aspect });
      }
    }
    comparePairs(pairs, [first[1], last[1]], found);
    return last[1];
  };
}

function isSameValue([, , version, sealed]: HeldRow, [, , otherVersion, otherSealed]: HeldRow): boolean {
  return version === otherVersion && Buffer.compare(sealed, otherSealed) === 0;
}
