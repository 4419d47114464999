/** How a request of the journal is described to people, and found by a filter (contract §11). */
import { pathGlob } from '../../kernel/text.ts';
import { CONTROL_PREFIX } from './facts.ts';
import type { AnswerOf } from '../../contract/registry.ts';

type Entry = AnswerOf<'GET /_kyclone/requests/{id}'>;

export interface EntryFilter {
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly status?: number | undefined;
  /** False leaves out calls of the control plane. */
  readonly control?: boolean | undefined;
}

/** What the filters of a list or a stream of requests let through. */
export function entryFilter({ method, path, status, control }: EntryFilter) {
  const matchesPath = path === undefined ? () => true : pathGlob(path);
  return (entry: Pick<Entry, 'method' | 'path' | 'status'>): boolean =>
    (method === undefined || entry.method === method.toUpperCase()) &&
    (status === undefined || entry.status === status) &&
    (control !== false || !entry.path.startsWith(CONTROL_PREFIX)) &&
    matchesPath(entry.path.split('?', 1)[0] ?? '');
}

/** Shown for a proxy call whose request never left. */
export const NOT_SENT = 'not sent';

/** Where the proxy sent it, and what came back. */
export function proxiedText({ url, status, sent }: NonNullable<Entry['proxy']>): string {
  if (!sent) return url === null ? NOT_SENT : `${NOT_SENT} to ${url}`;
  return status === null ? `${url ?? 'nobody'}, no answer` : `${url}, which answered ${status}`;
}
