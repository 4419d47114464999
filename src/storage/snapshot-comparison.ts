/** Compares two snapshots entity by entity. Opens and returns no value. */
import { nextTurn } from '../kernel/time/turns.ts';
import { type Database, openDatabase } from './database.ts';
import { CURRENT_SCHEMA, openSnapshot, translated, type SnapshotFile } from './snapshot-file.ts';

// Queries for the comparison of two snapshots: one is open as `main`, the other is attached as `later`.

/** Columns of an entity's own row. */
const COLUMNS = ['status', 'requires_manual_review', 'label', 'external_id', 'sandbox_id'] as const;

interface Aspect {
  readonly table: string;
  /** The column with the entity's id. */
  readonly entity: string;
  /** The columns to compare, besides the entity's id. */
  readonly columns: string;
  readonly joins?: string;
}

/** Other records of an entity; `db` stands for either side, `t` for the table. */
const ASPECTS: Readonly<Record<string, Aspect>> = {
  attributes: { table: 'entity_attributes', entity: 'entity', columns: 't.name, t.sealed' },
  tags: { table: 'tags', entity: 'entity', columns: 't.id, t.tag' },
  client_tokens: { table: 'client_tokens', entity: 'entity', columns: 't.id, t.revoked_at' },
  documents: {
    table: 'documents',
    entity: 'entity',
    columns: 't.id, t.kind, t.onboarding_id, i.side, i.identifier, i.version',
    joins: 'LEFT JOIN db.document_images i ON i.document = t.id',
  },
  onboardings: {
    table: 'onboardings',
    entity: 'entity',
    columns: 't.id, t.status, t.requires_manual_review, t.next_outcome, t.completed_at',
  },
  risk_signals: { table: 'risk_signals', entity: 'entity', columns: 't.onboarding, t.reason_code' },
  decisions: {
    table: 'decisions',
    entity: 'entity',
    columns: 't.seq, t.kind, t.status, t.playbook_key, t.sealed_note',
  },
  owners: {
    table: 'owners',
    entity: 'business',
    columns: 'u.fp_id AS owner, t.ownership_stake',
    joins: 'JOIN db.entities u ON u.id = t.user',
  },
  bank_links: {
    table: 'bank_links',
    entity: 'entity',
    columns: 't.id, t.state, t.error_code, t.products, t.institution, t.last_synced_at, t.sealed_world',
  },
};

const FROM = 'main';
const TO = 'later';
type ComparedSide = typeof FROM | typeof TO;
const of = (side: ComparedSide, sql: string) => sql.replaceAll('db.', `${side}.`);

/** Entities compared in one slice: a few milliseconds of work, then other requests have a turn. */
const ENTITIES_PER_SLICE = 400;

type Row = readonly [fpId: string, one: number, other: number | null, ...differs: number[]];
/** Row ids, inclusive. */
interface Range {
  readonly low: number;
  readonly high: number;
}
/** Row ids as JSON lists, for each side. */
interface Moved {
  readonly one: string;
  readonly other: string;
}
type HeldRow = readonly [fpId: string, identifier: string, version: number, sealed: Uint8Array];

/** Prepares the queries; skips aspects without rows. */
function prepareQueries(database: Database) {
  const otherOf = (side: ComparedSide) => (side === FROM ? TO : FROM);
  const differs = COLUMNS.map((column) => `a.${column} IS NOT b.${column}`).join(', ');
  const listEntities = (side: ComparedSide, compared: string) =>
    database
      .prepare<[number], Row>(`SELECT a.fp_id, a.id, b.id${compared} FROM ${side}.entities a
      LEFT JOIN ${otherOf(side)}.entities b ON b.fp_id = a.fp_id
      WHERE a.id > ? ORDER BY a.id LIMIT ${ENTITIES_PER_SLICE}`)
      .raw();
  const entities = { [FROM]: listEntities(FROM, `, ${differs}`), [TO]: listEntities(TO, '') };
  // The current values of each entity: the newest version of each identifier, unless it was deleted.
  const listHeld = (side: ComparedSide) =>
    database
      .prepare<[string], HeldRow>(
        of(
          side,
          `SELECT e.fp_id, v.identifier, v.version, v.sealed
         FROM json_each(?) j JOIN db.entities e ON e.id = j.value JOIN db.vault_values v ON v.entity = e.id
         WHERE v.sealed IS NOT NULL AND NOT EXISTS (
           SELECT 1 FROM db.vault_values n
           WHERE n.entity = v.entity AND n.identifier = v.identifier AND n.version > v.version
             AND (n.version <= e.vault_version
               OR NOT EXISTS (SELECT 1 FROM db.values_ahead a WHERE a.entity = e.id)))
         ORDER BY e.fp_id, v.identifier`,
        ),
      )
      .raw();
  const held = { [FROM]: listHeld(FROM), [TO]: listHeld(TO) };
  const valuesIn = (side: ComparedSide) =>
    `SELECT entity, identifier, version, sealed FROM ${side}.vault_values WHERE entity BETWEEN @low AND @high`;
  // A third faster than looking up each of them on the other side.
  const valuesOnlyIn = (side: ComparedSide) =>
    database
      .prepare<[Range], [entity: number]>(
        `SELECT DISTINCT entity FROM (${valuesIn(side)} EXCEPT ${valuesIn(otherOf(side))})`,
      )
      .raw();
  const valuesOnly = { [FROM]: valuesOnlyIn(FROM), [TO]: valuesOnlyIn(TO) };
  const countValues = [FROM, TO].map((side) =>
    database
      .prepare<[Range], number>(
        `SELECT count(*) FROM ${side}.vault_values WHERE entity BETWEEN @low AND @high`,
      )
      .pluck(),
  );
  const isEmpty = (table: string) =>
    [FROM, TO].every(
      (side) => database.prepare(`SELECT 1 FROM ${side}.${table} LIMIT 1`).get() === undefined,
    );
  const aspects = Object.entries(ASPECTS)
    .filter(([, { table }]) => !isEmpty(table))
    .map(([name, aspect]) => ({
      name,
      inRange: database
        .prepare<[Range], [fpId: string]>(
          differenceOf(aspect, 'BETWEEN @low AND @high', 'BETWEEN @low AND @high'),
        )
        .raw(),
      ofRows: database
        .prepare<[Moved], [fpId: string]>(
          differenceOf(
            aspect,
            'IN (SELECT value FROM json_each(@one))',
            'IN (SELECT value FROM json_each(@other))',
          ),
        )
        .raw(),
    }));
  return { entities, held, valuesOnly, countValues, aspects };
}

/** Ids of entities whose rows of an aspect differ. */
function differenceOf(aspect: Aspect, whichOfOne: string, whichOfOther: string): string {
  const rowsOf = (side: ComparedSide, which: string) =>
    of(
      side,
      `SELECT e.fp_id, ${aspect.columns} FROM db.${aspect.table} t
       JOIN db.entities e ON e.id = t.${aspect.entity} ${aspect.joins ?? ''}
       WHERE t.${aspect.entity} ${which}`,
    );
  const [one, other] = [rowsOf(FROM, whichOfOne), rowsOf(TO, whichOfOther)];
  return `SELECT DISTINCT fp_id FROM (
    SELECT * FROM (${one} EXCEPT ${other}) UNION ALL SELECT * FROM (${other} EXCEPT ${one})) ORDER BY fp_id`;
}

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
    const count = (side: ComparedSide) =>
      database.prepare<[], number>(`SELECT count(*) FROM ${side}.entities`).pluck().get() ?? 0;
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
