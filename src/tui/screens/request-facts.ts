/** The facts of a request in the journal, without its bodies. */
import type { AnswerOf } from '../../contract/registry.ts';
import { shortTime } from '../../kernel/terminal-text.ts';
import type { Cell } from '../state/model.ts';
import { fact, type Fact } from './fact-rows.ts';

type JournalEntry = AnswerOf<'GET /_kyclone/requests/{id}'>;

export function requestFacts(entry: JournalEntry): readonly Fact[] {
  const { id, at, method, path, route, code, ms, tenant, environment, faults, proxy, hint } = entry;
  const caller = entry.key_id ?? entry.token_id;
  return [
    { name: 'request', text: id },
    { name: 'at (UTC)', text: shortTime(at) },
    { name: 'asked', text: `${method} ${path}` },
    { name: 'route', text: route ?? 'none', ...(route === null && { tone: 'warn' }) },
    { name: 'status', ...statusCell(entry) },
    ...fact('code', code, 'warn'),
    { name: 'time', text: `${Math.round(ms)} ms` },
    { name: 'caller', text: caller ?? 'not known' },
    ...(tenant === null ? [] : fact('space', `${tenant}, ${environment ?? '-'}`)),
    ...fact('fault rules', faults.join(', '), 'warn'),
    ...(proxy ? [{ name: 'proxied to', text: proxiedText(proxy), isProse: true }] : []),
    ...fact('hint', hint, 'warn').map((each) => ({ ...each, isProse: true })),
  ];
}

/** Shown for a proxy call whose request never left. */
export const NOT_SENT = 'not sent';

function proxiedText({ url, status, sent }: NonNullable<JournalEntry['proxy']>): string {
  if (!sent) return url === null ? NOT_SENT : `${NOT_SENT} to ${url}`;
  return status === null ? `${url ?? 'nobody'}, no answer` : `${url}, which answered ${status}`;
}

/** A request that was cut off has no status. */
export function statusCell({ status }: Pick<JournalEntry, 'status'>): Cell {
  if (status === 0) return { text: 'cut', tone: 'bad' };
  return { text: String(status), tone: status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good' };
}
