import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/clock.ts';
import { cursorPage, decodeCursor, encodeCursor, pageSize } from '../../kernel/cursor.ts';
import type { Database } from '../../storage/database.ts';
import { countAccessRows, listAccessRows } from '../../vault/access-log-lists-repository.ts';
import type { AccessLog } from '../../vault/access-log.ts';
import { unlessDamaged } from '../../vault/changes.ts';
import { DAMAGED_MASK } from '../../vault/masked.ts';
import type { AccessRow } from '../../vault/access-log-repository.ts';

type Entry = AnswerOf<'GET /_kyclone/access-log'>['data'][number];

/** Newest first, by the filters of contract §11. */
export function listAccess(
  { database, accessLog }: { readonly database: Database; readonly accessLog: AccessLog },
  query: RequestOf<'GET /_kyclone/access-log'>['query'],
): AnswerOf<'GET /_kyclone/access-log'> {
  const size = pageSize(query.page_size);
  const since = query.since === undefined ? undefined : timestamp(Date.parse(query.since));
  const filter = { ...query, since };
  const before = query.cursor === undefined ? undefined : decodeCursor(query.cursor, ['number'])[0];
  return cursorPage(listAccessRows(database, filter, { before, limit: size }), {
    size,
    count: countAccessRows(database, filter),
    cursorOf: (row) => encodeCursor(row.seq),
    view: (row) => accessEntryView(row, accessLog),
  });
}

/** An operator that doesn't open is marked and hides nothing else. */
export function accessEntryView(row: AccessRow, accessLog: AccessLog): Entry {
  const entry = JSON.parse(row.entry) as Omit<Entry, 'hash'>;
  const operator = unlessDamaged(() => [accessLog.operatorOf(entry)]) ?? [DAMAGED_MASK];
  return { ...entry, operator: operator[0] ?? null, hash: Buffer.from(row.hash).toString('hex') };
}
