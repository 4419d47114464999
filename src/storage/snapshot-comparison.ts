/** Two snapshots side by side: what differs between them, by entity. No value is opened or answered. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openDatabase } from './database.ts';
import { CURRENT_SCHEMA, openSnapshot, translated, type SnapshotFile } from './snapshot-file.ts';

export interface DifferingIdentifier {
  readonly fp_id: string;
  readonly identifier: string;
  readonly change: 'added' | 'removed' | 'changed';
}

export interface Differences {
  /** Entities that only one of them has. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly identifiers: readonly DifferingIdentifier[];
  /** Of entities that both have: what else differs, by aspect. */
  readonly aspects: readonly { readonly fp_id: string; readonly aspect: string }[];
}

/** What identifies and describes each aspect of an entity; `db` stands for either side. */
const COLUMNS = ['status', 'requires_manual_review', 'label', 'external_id', 'sandbox_id'];
const ASPECTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    COLUMNS.map((column) => [column, `SELECT e.fp_id, e.${column} FROM db.entities e`] as const),
  ),
  attributes:
    'SELECT e.fp_id, a.name, a.sealed FROM db.entity_attributes a JOIN db.entities e ON e.id = a.entity',
  tags: 'SELECT e.fp_id, t.id, t.tag FROM db.tags t JOIN db.entities e ON e.id = t.entity',
  client_tokens: `SELECT e.fp_id, t.id, t.revoked_at FROM db.client_tokens t JOIN db.entities e ON e.id = t.entity`,
  documents: `SELECT e.fp_id, d.id, d.kind, d.onboarding_id, i.side, i.identifier, i.version
    FROM db.documents d JOIN db.entities e ON e.id = d.entity LEFT JOIN db.document_images i ON i.document = d.id`,
  onboardings: `SELECT e.fp_id, o.id, o.status, o.requires_manual_review, o.next_outcome, o.completed_at
    FROM db.onboardings o JOIN db.entities e ON e.id = o.entity`,
  risk_signals: `SELECT e.fp_id, r.onboarding, r.reason_code FROM db.risk_signals r JOIN db.entities e ON e.id = r.entity`,
  decisions: `SELECT e.fp_id, d.seq, d.kind, d.status, d.playbook_key, d.sealed_note
    FROM db.decisions d JOIN db.entities e ON e.id = d.entity`,
  owners: `SELECT e.fp_id, u.fp_id AS owner, o.ownership_stake
    FROM db.owners o JOIN db.entities e ON e.id = o.business JOIN db.entities u ON u.id = o.user`,
  bank_links: `SELECT e.fp_id, l.id, l.state, l.error_code, l.products, l.institution, l.last_synced_at, l.sealed_world
    FROM db.bank_links l JOIN db.entities e ON e.id = l.entity`,
};

/** What each entity holds now: the newest of each identifier, unless it was deleted. */
const HELD = `SELECT e.fp_id, v.identifier, v.version, v.sealed
  FROM db.entities e JOIN db.vault_values v ON v.entity = e.id
  WHERE v.sealed IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM db.vault_values n
    WHERE n.entity = v.entity AND n.identifier = v.identifier AND n.version > v.version)`;

const FROM = 'main';
const TO = 'later';
const of = (schema: string, sql: string) => sql.replaceAll('db.', `${schema}.`);

/** Brings a snapshot that may be written to up to the schema of now: a copy that is to be compared. */
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

/** Whether a snapshot has to be migrated before it can be compared. */
export function isOlder({ schema }: Pick<SnapshotFile, 'schema'>): boolean {
  return schema < CURRENT_SCHEMA;
}

/** Both of the schema of now. Gives way to other work between the questions. Throws `vault_damaged`. */
export async function compareSnapshots(from: string, to: string): Promise<Differences> {
  const opened = openSnapshot(from, { isWhole: true });
  const { database } = opened;
  try {
    openSnapshot(to, { isWhole: true }).close();
    translated(() => database.prepare(`ATTACH ? AS ${TO}`).run(to));
    const ask = async <Row>(sql: string): Promise<Row[]> => {
      await nextTurn();
      return translated(() => database.prepare(sql).all() as Row[]);
    };
    const onlyIn = async (one: string, other: string) =>
      (
        await ask<{ fp_id: string }>(
          `SELECT fp_id FROM ${one}.entities EXCEPT SELECT fp_id FROM ${other}.entities ORDER BY fp_id`,
        )
      ).map(({ fp_id }) => fp_id);
    const added = await onlyIn(TO, FROM);
    const removed = await onlyIn(FROM, TO);
    const identifiers = await ask<DifferingIdentifier>(`
      SELECT coalesce(a.fp_id, b.fp_id) AS fp_id, coalesce(a.identifier, b.identifier) AS identifier,
        iif(a.fp_id IS NULL, 'added', iif(b.fp_id IS NULL, 'removed', 'changed')) AS change
      FROM (${of(FROM, HELD)}) a FULL JOIN (${of(TO, HELD)}) b ON a.fp_id = b.fp_id AND a.identifier = b.identifier
      WHERE a.sealed IS NOT b.sealed OR a.version IS NOT b.version ORDER BY 1, 2`);
    const aspects = [];
    for (const [aspect, sql] of Object.entries(ASPECTS)) {
      const [one, other] = [of(FROM, sql), of(TO, sql)];
      const rows = await ask<{ fp_id: string }>(`
        SELECT DISTINCT fp_id FROM (
          SELECT * FROM (${one} EXCEPT ${other}) UNION ALL SELECT * FROM (${other} EXCEPT ${one}))
        WHERE fp_id IN (SELECT fp_id FROM ${FROM}.entities) AND fp_id IN (SELECT fp_id FROM ${TO}.entities)
        ORDER BY fp_id`);
      for (const { fp_id } of rows) aspects.push({ fp_id, aspect });
    }
    return { added, removed, identifiers, aspects };
  } finally {
    opened.close();
  }
}
