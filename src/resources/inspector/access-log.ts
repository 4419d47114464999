import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/clock.ts';
import { cursorPage, decodeCursor, encodeCursor, pageSize } from '../../kernel/cursor.ts';
import type { Database } from '../../storage/database.ts';
import { countAccessRows, listAccessRows } from '../../vault/access-log-lists-repository.ts';
import type { AccessRow } from '../../vault/access-log-repository.ts';

type Entry = AnswerOf<'GET /_kyclone/access-log'>['data'][number];

/** Newest first, by the filters of contract §11. */
export function listAccess(
  database: Database,
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
    view,
  });
}

function view(row: AccessRow): Entry {
  const entry = JSON.parse(row.entry) as Omit<Entry, 'hash'>;
  return { ...entry, hash: Buffer.from(row.hash).toString('hex') };
}
