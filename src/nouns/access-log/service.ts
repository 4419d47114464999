/** The access log as the inspector has it: its pages, and an entity's entries for its timeline (contract §11). */
import { ACT_OPERATIONS, type ActOperation } from './facts.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/time/clock.ts';
import { cursorPage, decodeCursor, encodeCursor, pageSize } from '../cursor.ts';
import type { Database } from '../../storage/database.ts';
import { countAccesses, listAccessRowsBefore } from '../../vault/access-log-lists-repository.ts';
import { accessPage } from '../../vault/access-log-pages.ts';
import type { AccessLog } from '../../vault/access-log.ts';
import { unlessDamaged } from '../../vault/envelope.ts';
import { DAMAGED_MASK } from '../../vault/masked.ts';
import { repeatedMisses } from '../../vault/misses.ts';
import type { AccessRow } from '../../vault/access-log-repository.ts';
import type { EntityRow } from '../entities/service/index.ts';
import { answer, answered, type Handlers, type KeysUnder } from '../handlers.ts';
import type { Needs } from '../needs.ts';

type Entry = AnswerOf<'GET /_kyclone/access-log'>['data'][number];
type LogContext = Needs<'database' | 'accessLog'>;

export function accessLogHandlers({
  database,
  accessLog,
}: LogContext): Handlers<KeysUnder<'/_kyclone/access-log'>> {
  return {
    /** Newest first, by the filters of contract §11. */
    'GET /_kyclone/access-log': async ({ query }) => {
      const { cursor, page_size, operator, q, misses, since, until, ...exact } = query;
      const size = pageSize(page_size);
      const filter = { ...exact, since: momentOf(since), until: momentOf(until) };
      const before = cursor === undefined ? undefined : decodeCursor(cursor, ['number'])[0];
      const { tenant, environment, fp_id, external_id } = exact;
      const about = { tenant, environment, fp_id, external_id };
      const repeated = misses === undefined ? undefined : await repeatedMisses(database, about);
      const isRead = operator !== undefined || q !== undefined;
      const keeps =
        repeated === undefined && !isRead
          ? undefined
          : (row: AccessRow) =>
              repeated?.has(row.seq) !== false &&
              (!isRead || isWanted(accessEntryView(row, accessLog), { operator, q }));
      const { rows, count } = await accessPage(database, filter, { before, limit: size, keeps });
      const view = (row: AccessRow) => accessEntryView(row, accessLog);
      return answer(cursorPage(rows, { size, count, cursorOf: ({ seq }) => encodeCursor(seq), view }));
    },

    'GET /_kyclone/access-log/verify': () => answered(accessLog.verify(database)),
  };
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

// What the log has of an entity, as entries of its timeline: reads, and actions.

/** An entry of a timeline. `seq` orders entries of the same kind and time. */
export interface Occurrence {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly seq: number;
  readonly id?: string | null;
  readonly title: string;
  readonly by?: string | null;
  readonly reason?: string | null;
  readonly details?: readonly string[];
}

interface Place {
  readonly at: number;
  readonly seq: number;
}

export interface TimelineSource {
  /** The newest entries before the place, in any order. */
  before(place: Place, limit: number): readonly Occurrence[];
  count(): number;
}

/** Accesses that show no value have titles of their own. */
const COMPARED: Readonly<Partial<Record<string, string>>> = {
  verify: 'Checked a stated value',
  compare: 'Compared with another entity',
};

export function reads(context: LogContext, { fp_id }: EntityRow): TimelineSource {
  return logged(context, { fp_id, operations: ACT_OPERATIONS, isOther: true }, (entry) => {
    const { operation, outcome, identifiers } = entry;
    const isGranted = outcome === 'granted';
    return {
      title: isGranted ? (COMPARED[operation] ?? `Read: ${operation}`) : `Refused: ${operation}`,
      details: identifiers,
    };
  });
}

function logged(
  { database, accessLog }: LogContext,
  accesses: Parameters<typeof countAccesses>[1],
  inWords: (entry: Entry) => Pick<Occurrence, 'title' | 'details'>,
): TimelineSource {
  return {
    before: (place, limit) =>
      listAccessRowsBefore(database, accesses, place, limit).map((row) => {
        const entry = accessEntryView(row, accessLog);
        const { at, seq, request_id, reason, operator, actor } = entry;
        const by = operator ?? `${actor.kind} ${actor.id}`;
        return { at: Date.parse(at), seq, id: request_id, reason, by, ...inWords(entry) };
      }),
    count: () => countAccesses(database, accesses),
  };
}

const LATEST = { at: Number.MAX_SAFE_INTEGER, seq: Number.MAX_SAFE_INTEGER };

/** What the acts on labels and tags of an entity did. */
function markEffects(database: Database, { fp_id }: EntityRow): readonly string[] {
  return listAccessRowsBefore(database, { fp_id, operations: MARKS }, LATEST, Number.MAX_SAFE_INTEGER).map(
    ({ entry }) => (JSON.parse(entry) as { effect: string }).effect,
  );
}

/** Actions that the timeline doesn't have from their own records: those of decisions name operator and reason. */
const ACTS: Readonly<Record<Exclude<ActOperation, 'decide' | 'review_hit'>, string>> = {
  label: 'Label',
  tag: 'Tag',
  owner: 'Owner',
  note: 'Note',
  resend: 'Sent again',
  run: 'Run by choice',
  resolve: 'Outcome set',
  request_info: 'More information',
  delete_data: 'Data',
  delete: 'Record',
  claim: 'Case',
};

const MARKS = ['label', 'tag'] as const;
const OTHERS = (Object.keys(ACTS) as (keyof typeof ACTS)[]).filter(
  (operation) => !MARKS.some((mark) => mark === operation),
);

export function acts(context: LogContext, entity: EntityRow): TimelineSource {
  return actsOf(context, entity, OTHERS);
}

/** Changes of labels and tags. `unrecorded`: those without an act, of a store of an earlier version. */
export function marks(
  context: LogContext,
  entity: EntityRow,
  unrecorded: (effects: readonly string[]) => TimelineSource,
): TimelineSource {
  const recorded = actsOf(context, entity, MARKS);
  const others = unrecorded(markEffects(context.database, entity));
  return {
    before: (place, limit) => [...recorded.before(place, limit), ...others.before(place, limit)],
    count: () => recorded.count() + others.count(),
  };
}

function actsOf(
  context: LogContext,
  { fp_id }: EntityRow,
  operations: readonly (keyof typeof ACTS)[],
): TimelineSource {
  return logged(context, { fp_id, operations }, ({ operation, effect }) => {
    const named = operations.find((each) => each === operation);
    return { title: `${named === undefined ? operation : ACTS[named]}: ${effect ?? ''}` };
  });
}
