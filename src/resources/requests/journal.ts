/** The last requests, for people who debug: in memory, redacted when they come in (contract §11). */
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/clock.ts';
import { cursorPage, decodeCursor, encodeCursor, pageSize } from '../../kernel/cursor.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { pathGlob } from '../../kernel/path-glob.ts';

type JournalView = AnswerOf<'GET /_kyclone/requests/{id}'>;

export type JournalEntry = Omit<JournalView, 'at'> & {
  /** Epoch milliseconds. */
  readonly at: number;
  key_id?: string;
  token_id?: string;
};

export interface Journal {
  add(entry: JournalEntry): void;
  list(query: RequestOf<'GET /_kyclone/requests'>['query']): AnswerOf<'GET /_kyclone/requests'>;
  get(id: string): JournalView;
  clear(): void;
  readonly size: number;
}

const JOURNAL_ENTRIES = 2_000;

export function createJournal(): Journal {
  /** A ring: `next` is the place of the oldest entry once it is full. */
  let ring: { sequence: number; entry: JournalEntry }[] = [];
  let next = 0;
  let sequence = 0;

  function newestFirst(): { sequence: number; entry: JournalEntry }[] {
    return [...ring.slice(next), ...ring.slice(0, next)].reverse();
  }

  return {
    get size() {
      return ring.length;
    },
    add(entry) {
      const numbered = { sequence: ++sequence, entry };
      if (ring.length < JOURNAL_ENTRIES) ring.push(numbered);
      else {
        ring[next] = numbered;
        next = (next + 1) % JOURNAL_ENTRIES;
      }
    },
    list(query) {
      const size = pageSize(query.page_size);
      const before = query.cursor === undefined ? Infinity : decodeCursor(query.cursor, ['number'])[0];
      const matchesPath = query.path === undefined ? () => true : pathGlob(query.path);
      const since = query.since === undefined ? -Infinity : Date.parse(query.since);
      const matching = newestFirst().filter(
        ({ entry }) =>
          (query.method === undefined || entry.method === query.method.toUpperCase()) &&
          (query.status === undefined || entry.status === query.status) &&
          entry.at >= since &&
          matchesPath(withoutQuery(entry.path)),
      );
      const rows = matching.filter((row) => row.sequence < before).slice(0, size + 1);
      return cursorPage(rows, {
        size,
        count: matching.length,
        cursorOf: (row) => encodeCursor(row.sequence),
        view: (row) => view(row.entry),
      });
    },
    get(id) {
      const found = ring.find(({ entry }) => entry.id === id);
      if (!found) throw new ServiceError('not_found', 'No request of the journal has this id');
      return view(found.entry);
    },
    clear() {
      ring = [];
      next = 0;
    },
  };
}

function withoutQuery(path: string): string {
  const mark = path.indexOf('?');
  return mark === -1 ? path : path.slice(0, mark);
}

function view(entry: JournalEntry): JournalView {
  return { ...entry, at: timestamp(entry.at) };
}
