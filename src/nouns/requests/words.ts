/** How a request of the journal is described to people (contract §11). */
import type { AnswerOf } from '../../contract/registry.ts';

type Entry = AnswerOf<'GET /_kyclone/requests/{id}'>;

/** Shown for a proxy call whose request never left. */
export const NOT_SENT = 'not sent';

/** Where the proxy sent it, and what came back. */
export function proxiedText({ url, status, sent }: NonNullable<Entry['proxy']>): string {
  if (!sent) return url === null ? NOT_SENT : `${NOT_SENT} to ${url}`;
  return status === null ? `${url ?? 'nobody'}, no answer` : `${url}, which answered ${status}`;
}
