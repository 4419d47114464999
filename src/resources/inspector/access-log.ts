import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/clock.ts';
import { cursorPage, decodeCursor, encodeCursor, pageSize } from '../../kernel/cursor.ts';
import type { Database } from '../../storage/database.ts';
import { accessPage } from '../../vault/access-log-pages.ts';
import type { AccessLog } from '../../vault/access-log.ts';
import { unlessDamaged } from '../../vault/envelope.ts';
import { DAMAGED_MASK } from '../../vault/masked.ts';
import { repeatedMisses } from '../../vault/misses.ts';
import type { AccessRow } from '../../vault/access-log-repository.ts';

type Entry = AnswerOf<'GET /_kyclone/access-log'>['data'][number];

/** Newest first, by the filters of contract §11. */
export async function listAccess(
  { database, accessLog }: { readonly database: Database; readonly accessLog: AccessLog },
  query: RequestOf<'GET /_kyclone/access-log'>['query'],
): Promise<AnswerOf<'GET /_kyclone/access-log'>> {
  const size = pageSize(query.page_size);
  const { tenant, environment, fp_id, external_id, identifier, operation, outcome, result } = query;
  const times = { since: momentOf(query.since), until: momentOf(query.until) };
  const filter = {
    tenant,
    environment,
    fp_id,
    external_id,
    identifier,
    operation,
    outcome,
    result,
    ...times,
  };
  const before = query.cursor === undefined ? undefined : decodeCursor(query.cursor, ['number'])[0];
  const { operator, q } = query;
  const repeated =
    query.misses === undefined
      ? undefined
      : await repeatedMisses(database, { tenant, environment, fp_id, external_id });
  const isRead = operator !== undefined || q !== undefined;
  const keeps =
    repeated === undefined && !isRead
      ? undefined
      : (row: AccessRow) =>
          repeated?.has(row.seq) !== false &&
          (!isRead || isWanted(accessEntryView(row, accessLog), { operator, q }));
  const { rows, count } = await accessPage(database, filter, { before, limit: size, keeps });
  return cursorPage(rows, {
    size,
    count,
    cursorOf: (row) => encodeCursor(row.seq),
    view: (row) => accessEntryView(row, accessLog),
  });
}

function momentOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : timestamp(Date.parse(text));
}

function isWanted(
  entry: Entry,
  { operator, q = '' }: { readonly operator: string | undefined; readonly q: string | undefined },
): boolean {
  const named = entry.operator === null ? undefined : folded(entry.operator);
  if (operator !== undefined && named !== folded(operator)) return false;
  const { fp_id, identifiers, operation, outcome, reason, effect, actor, request_id } = entry;
  const shown = [
    entry.operator,
    fp_id,
    ...identifiers,
    operation,
    outcome,
    reason,
    effect,
    actor.kind,
    actor.id,
    request_id,
  ];
  const text = folded(shown.join('\n'));
  return folded(q)
    .split(/\s+/)
    .every((word) => text.includes(word));
}

const folded = (text: string) => text.normalize('NFKC').toLowerCase();

/** An operator or a reason that doesn't open is marked and hides nothing else. */
export function accessEntryView(row: AccessRow, accessLog: AccessLog): Entry {
  const kept = JSON.parse(row.entry) as Omit<Entry, 'hash' | 'effect' | 'results'>;
  const entry = { effect: null, results: null, ...kept };
  const operator = unlessDamaged(() => [accessLog.operatorOf(entry)]) ?? [DAMAGED_MASK];
  const [reason] = unlessDamaged(() => [accessLog.reasonOf(entry)]) ?? [DAMAGED_MASK];
  return { ...entry, operator: operator[0] ?? null, reason, hash: Buffer.from(row.hash).toString('hex') };
}
