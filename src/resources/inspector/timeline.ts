/** The history of an entity, newest first, in pages from its sources (contract §11). */
import { TIMELINE_KINDS, type TimelineKind } from '../../contract/facts/timeline.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/clock.ts';
import { cursorPage, decodeCursor, encodeCursor, pageSize } from '../../kernel/cursor.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { listParameter } from '../../kernel/list-parameter.ts';
import { spaceOf } from '../api-keys/index.ts';
import { getEntity, type EntityRow } from '../entities/index.ts';
import { timelineSources, type Occurrence, type TimelineContext } from './timeline-sources.ts';

type Timeline = AnswerOf<'GET /_kyclone/entities/{fp_id}/timeline'>;

/** An entry with its place in the order: by time, then by kind, then latest first. */
interface Placed extends Occurrence {
  readonly kind: TimelineKind;
  readonly rank: number;
}

const END = Number.MAX_SAFE_INTEGER;

export function listTimeline(
  context: TimelineContext,
  fpId: string,
  query: RequestOf<'GET /_kyclone/entities/{fp_id}/timeline'>['query'],
): Timeline {
  const { database } = context;
  const entity = getEntity(database, spaceOf(database, query), fpId);
  const wanted = query.kinds === undefined ? TIMELINE_KINDS : listParameter('kinds', query.kinds).map(kindOf);
  const size = pageSize(query.page_size);
  const last =
    query.cursor === undefined ? undefined : decodeCursor(query.cursor, ['number', 'number', 'number']);
  const occurrences = wantedSources(context, entity, wanted).map(({ kind, rank, source }) => {
    const things = source.before(placeFor(rank, last), size + 1);
    return things.map((thing): Placed => ({ ...thing, kind, rank }));
  });
  const rows = occurrences
    .flat()
    .toSorted((one, next) => next.at - one.at || one.rank - next.rank || next.seq - one.seq)
    .slice(0, size + 1);
  const counts = wantedSources(context, entity, wanted).map(({ source }) => source.count());
  return cursorPage(rows, {
    size,
    count: counts.reduce((sum, count) => sum + count, 0),
    cursorOf: ({ at, rank, seq }) => encodeCursor(at, rank, seq),
    view: ({ at, kind, id = null, title, by = null, reason = null, details = [] }) => ({
      at: timestamp(at),
      kind,
      id,
      title,
      by,
      reason,
      details: [...details],
    }),
  });
}

function wantedSources(context: TimelineContext, entity: EntityRow, wanted: readonly TimelineKind[]) {
  const sources = timelineSources(context, entity);
  return TIMELINE_KINDS.flatMap((kind, rank) =>
    wanted.includes(kind) ? [{ kind, rank, source: sources[kind] }] : [],
  );
}

/** The place at which a source continues after the last shown entry; its newest entry without one. */
function placeFor(rank: number, last: readonly [at: number, rank: number, seq: number] | undefined) {
  if (last === undefined) return { at: END, seq: END };
  const [at, lastRank, seq] = last;
  if (rank === lastRank) return { at, seq };
  return { at, seq: rank < lastRank ? -1 : END };
}

function kindOf(word: string): TimelineKind {
  const kind = TIMELINE_KINDS.find((known) => known === word);
  if (kind !== undefined) return kind;
  throw new ServiceError(
    'invalid_request',
    `Query parameter kinds must be a comma list of ${TIMELINE_KINDS.join(', ')}`,
  );
}
