/** The last requests, for people who debug: in memory, redacted when they come in (contract §11). */
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import type { ProxyExplanation, ProxySummary } from '../../contract/vault-proxy.ts';
import { timestamp } from '../../kernel/clock.ts';
import { cursorPage, decodeCursor, encodeCursor, pageSize } from '../../kernel/cursor.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { pathGlob } from '../../kernel/path-glob.ts';

type JournalView = AnswerOf<'GET /_kyclone/requests/{id}'>;

export type JournalEntry = Omit<JournalView, 'at' | 'proxy'> & {
  /** Epoch milliseconds. */
  readonly at: number;
  key_id?: string;
  token_id?: string;
};

export interface Journal {
  add(entry: JournalEntry): void;
  /** What the vault proxy did in a request that has no entry yet; kept as long as that entry will be. */
  explain(requestId: string, explanation: ProxyExplanation): void;
  /** Throws `not_found` when the request was no proxy call. */
  explanationOf(id: string): ProxyExplanation;
  list(query: RequestOf<'GET /_kyclone/requests'>['query']): AnswerOf<'GET /_kyclone/requests'>;
  get(id: string): JournalView;
  clear(): void;
  readonly size: number;
}

const JOURNAL_ENTRIES = 2_000;

interface Kept {
  readonly sequence: number;
  readonly entry: JournalEntry;
  readonly explanation: ProxyExplanation | undefined;
}

/** `onEntry` is told of each entry, which it may read later, as `get` shows it. */
export function createJournal(onEntry: (read: () => JournalView) => void = () => undefined): Journal {
  /** A ring: `next` is the place of the oldest entry once it is full. */
  let ring: Kept[] = [];
  const explanations = new Map<string, ProxyExplanation>();
  let next = 0;
  let sequence = 0;

  function newestFirst(): Kept[] {
    return [...ring.slice(next), ...ring.slice(0, next)].reverse();
  }

  function find(id: string): Kept {
    const found = ring.find(({ entry }) => entry.id === id);
    if (!found) throw new ServiceError('not_found', 'No request of the journal has this id');
    return found;
  }

  return {
    get size() {
      return ring.length;
    },
    add(entry) {
      const numbered = { sequence: ++sequence, entry, explanation: explanations.get(entry.id) };
      explanations.delete(entry.id);
      onEntry(() => view(numbered));
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
          (query.control !== false || !isOfControlPlane(entry.path)) &&
          matchesPath(withoutQuery(entry.path)),
      );
      const rows = matching.filter((row) => row.sequence < before).slice(0, size + 1);
      return cursorPage(rows, {
        size,
        count: matching.length,
        cursorOf: (row) => encodeCursor(row.sequence),
        view,
      });
    },
    get: (id) => view(find(id)),
    explain(requestId, explanation) {
      explanations.set(requestId, explanation);
      // Those of requests that were cut off, and so have no entry, don't pile up.
      const [oldest] = explanations.keys();
      if (explanations.size > JOURNAL_ENTRIES && oldest !== undefined) explanations.delete(oldest);
    },
    explanationOf(id) {
      const { explanation } = find(id);
      if (!explanation) throw new ServiceError('not_found', 'This request never came to the vault proxy');
      return explanation;
    },
    clear() {
      ring = [];
      next = 0;
    },
  };
}

function isOfControlPlane(path: string): boolean {
  return path.startsWith('/_kyclone/');
}

function withoutQuery(path: string): string {
  const mark = path.indexOf('?');
  return mark === -1 ? path : path.slice(0, mark);
}

function view({ entry, explanation }: Kept): JournalView {
  return { ...entry, ...(explanation && { proxy: summary(explanation) }), at: timestamp(entry.at) };
}

function summary({ target, upstream, tokens }: ProxyExplanation): ProxySummary {
  return { url: target, status: upstream?.status ?? null, tokens: tokens.map(({ token }) => token) };
}
