/** Queries for the comparison of two snapshots: one is open as `main`, the other is attached as `later`. */
import type { Database } from './database.ts';

/** Columns of an entity's own row. */
export const COLUMNS = ['status', 'requires_manual_review', 'label', 'external_id', 'sandbox_id'] as const;

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

export const FROM = 'main';
export const TO = 'later';
export type ComparedSide = typeof FROM | typeof TO;
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
export type HeldRow = readonly [fpId: string, identifier: string, version: number, sealed: Uint8Array];

/** Prepares the queries; skips aspects without rows. */
export function prepareQueries(database: Database) {
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
