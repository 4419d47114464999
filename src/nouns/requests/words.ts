/** How a request of the journal is described to people, and found by a filter (contract §11). */
import { pathGlob } from '../../kernel/text/text.ts';
import { counted } from '../../kernel/text/count-text.ts';
import { CONTROL_PREFIX, READ_BY_PROXY } from './facts.ts';
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

type Explanation = AnswerOf<'GET /_kyclone/requests/{id}/proxy'>;

/** Whether a route of the proxy sends nothing to a target. */
export function isDryRun(route: string | null): boolean {
  return route === '/vault_proxy/render' || route === '/vault_proxy/reflect';
}

/** What became of a proxy call that sent nothing; undefined for one that did. */
export function unsentText(route: string | null, wasSent: boolean): string | undefined {
  if (!isDryRun(route)) return wasSent ? undefined : NOT_SENT;
  return `${route?.split('/').at(-1) ?? ''}, a dry run: nothing was sent`;
}

/** What a pin matched. */
export const PINNED_WORDS = { leaf: "the target's own certificate", ca: 'its authority' } as const;

/** Headers that were not forwarded: those for the proxy itself never are, so they are only counted. */
export function strippedTexts(names: readonly string[]): { others: string; forProxy: string | undefined } {
  const others = names.filter((name) => !READ_BY_PROXY.includes(name));
  const read = names.length - others.length;
  const forProxy = read > 0 ? `${counted(read, 'header')} for the proxy` : undefined;
  return { others: others.join(', '), forProxy };
}

/** Why an ingress rule stored nothing. */
export function unstoredText({ reason, matched }: Explanation['ingress'][number]): string {
  return reason ?? (matched ? 'not stored' : 'not matched');
}

/** Shown for a proxy call whose request never left. */
export const NOT_SENT = 'not sent';

/** Where the proxy sent it, and what came back. */
export function proxiedText({ url, status, sent }: NonNullable<Entry['proxy']>): string {
  if (!sent) return url === null ? NOT_SENT : `${NOT_SENT} to ${url}`;
  return status === null ? `${url ?? 'nobody'}, no answer` : `${url}, which answered ${status}`;
}
