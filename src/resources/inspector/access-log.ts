import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/clock.ts';
import { cursorPage, decodeCursor, encodeCursor, pageSize } from '../../kernel/cursor.ts';
import type { Database } from '../../storage/database.ts';
import { accessPage } from '../../vault/access-log-pages.ts';
import type { AccessLog } from '../../vault/access-log.ts';
import { unlessDamaged } from '../../vault/changes.ts';
import { DAMAGED_MASK } from '../../vault/masked.ts';
import type { AccessRow } from '../../vault/access-log-repository.ts';

type Entry = AnswerOf<'GET /_kyclone/access-log'>['data'][number];

/** Newest first, by the filters of contract §11. */
export async function listAccess(
  { database, accessLog }: { readonly database: Database; readonly accessLog: AccessLog },
  query: RequestOf<'GET /_kyclone/access-log'>['query'],
): Promise<AnswerOf<'GET /_kyclone/access-log'>> {
  const size = pageSize(query.page_size);
  const since = query.since === undefined ? undefined : timestamp(Date.parse(query.since));
  const { fp_id, identifier, operation, outcome, result } = query;
  const filter = { fp_id, identifier, operation, outcome, result, since };
  const before = query.cursor === undefined ? undefined : decodeCursor(query.cursor, ['number'])[0];
  const { operator } = query;
  const keeps =
    operator === undefined
      ? undefined
      : (row: AccessRow) => accessEntryView(row, accessLog).operator === operator;
  const { rows, count } = await accessPage(database, filter, { before, limit: size, keeps });
  return cursorPage(rows, {
    size,
    count,
    cursorOf: (row) => encodeCursor(row.seq),
    view: (row) => accessEntryView(row, accessLog),
  });
}

/** An operator that doesn't open is marked and hides nothing else. */
export function accessEntryView(row: AccessRow, accessLog: AccessLog): Entry {
  const entry = JSON.parse(row.entry) as Omit<Entry, 'hash' | 'results'> & Partial<Pick<Entry, 'results'>>;
  const operator = unlessDamaged(() => [accessLog.operatorOf(entry)]) ?? [DAMAGED_MASK];
  const { results = null } = entry;
  return { ...entry, operator: operator[0] ?? null, results, hash: Buffer.from(row.hash).toString('hex') };
}
