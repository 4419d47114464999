/** The journal: all requests, newest first, those of the proxy alone, and a single one (contract §11). */
import type { AnswerOf } from '../../contract/registry.ts';
import { shortTime } from '../../kernel/text/terminal-text.ts';
import type { Source } from '../../tui/data/source.ts';
import type { CallText, Cell, Page, Row } from '../../tui/state/model.ts';
import type { PageQuery, ScreenDefinition } from '../../tui/screens/definition.ts';
import { listPane, listScreen, recordPane } from '../../tui/screens/list-pane.ts';
import { fact, type Fact, factRows } from '../../tui/screens/fact-rows.ts';
import { JSON_COLUMNS, jsonLines, jsonRows } from '../../tui/screens/json-rows.ts';
import {
  isDryRun,
  NOT_SENT,
  PINNED_WORDS,
  proxiedText,
  strippedTexts,
  unsentText,
  unstoredText,
} from './words.ts';
import { copiesOf } from '../../tui/screens/space.ts';

// The steps of the proxy in their order, in words. Steps that it didn't reach are left out.

type Explanation = AnswerOf<'GET /_kyclone/requests/{id}/proxy'>;
type Entry = Pick<AnswerOf<'GET /_kyclone/requests/{id}'>, 'route' | 'status' | 'code'>;

function explanationFacts(explanation: Explanation, { route, status, code }: Entry): readonly Fact[] {
  const { target, policy, tokens, headers, tls, ingress, upstream, withheld, hints } = explanation;
  const { others, forProxy } = strippedTexts(headers.stripped);
  return [
    ...(code === null ? [] : fact('outcome', `${status} ${code}`, 'warn')),
    ...fact('call', unsentText(route, explanation.sent), isDryRun(route) ? undefined : 'bad'),
    ...fact('target', target),
    { name: 'policy', text: policy },
    ...prose('addresses', explanation.resolved_addresses.join(', ')),
    ...(tokens.length === 0 ? fact('tokens', 'none') : tokens.flatMap(tokenFacts)),
    ...prose('forwarded', headers.forwarded.join(', ')),
    ...prose('refused', headers.refused.join(', '), 'warn'),
    ...prose('stripped', [others, forProxy].filter(Boolean).join(', ')),
    ...(tls === null ? [] : tlsFacts(tls)),
    ...ingress.flatMap(ingressFacts),
    ...(upstream === null ? [] : upstreamFacts(upstream)),
    ...(withheld === undefined ? [] : withheldFacts(withheld)),
    ...hints.flatMap((hint) => prose('hint', hint, 'warn')),
  ];
}

function prose(name: string, text: string | undefined, tone?: Fact['tone']): readonly Fact[] {
  return fact(name, text, tone).map((each) => ({ ...each, isProse: true }));
}

/** `fp_id_….id.ssn9`, and below it the masked input and output. */
function tokenFacts({
  token,
  found,
  transforms,
  input_masked: input,
  output_masked: output,
}: Explanation['tokens'][number]): readonly Fact[] {
  const steps = [input, ...transforms, output].filter((step) => step !== null);
  if (found === true) return [...fact('token', token, 'plain'), ...prose(' ', steps.join(' → '))];
  return found === false
    ? fact('token', `${token}, not found`, 'bad')
    : fact('token', `${token}, not looked up`, 'dim');
}

function tlsFacts({ version, pinned, chain }: NonNullable<Explanation['tls']>): readonly Fact[] {
  return [
    ...fact('TLS', version ?? 'no version was agreed on'),
    ...(pinned === null ? [] : fact('pin matched', PINNED_WORDS[pinned])),
    ...chain.flatMap((subject, index) => prose(`certificate ${index + 1}`, subject)),
  ];
}

function ingressFacts(note: Explanation['ingress'][number]): readonly Fact[] {
  const result =
    note.stored_as === null
      ? prose(' ', unstoredText(note), 'warn')
      : prose(' ', `stored as ${note.stored_as}`, 'good');
  return [...prose('ingress rule', note.rule), ...result];
}

function upstreamFacts({
  status,
  ms_connect: connect,
  ms_total: total,
}: NonNullable<Explanation['upstream']>): readonly Fact[] {
  return [
    { name: 'answer', text: status === null ? 'none' : String(status) },
    ...(connect === null ? [] : fact('time to connect', `${connect} ms`)),
    { name: 'time in all', text: `${total} ms` },
  ];
}

/** The answer that an ingress rule kept from the caller: names of headers, and the masked body. */
function withheldFacts({ headers, body }: NonNullable<Explanation['withheld']>): readonly Fact[] {
  return [
    ...prose('withheld', headers.length === 0 ? 'no headers' : headers.join(', ')),
    ...jsonLines(body).map((text) => ({ name: ' ', text })),
  ];
}

type JournalEntry = AnswerOf<'GET /_kyclone/requests/{id}'>;

export const PROXY_PANE = 'Proxy';

const JOURNAL = { changesWith: ['request', 'read'], isFeed: true, row: entryRow } as const;

export const requestsScreen = listScreen(
  { name: 'requests', says: 'the journal of the API, newest first', words: 'log journal api http calls' },
  listPane('GET /_kyclone/requests', {
    title: 'Requests',
    query: { control: false },
    columns: [
      { heading: 'AT (UTC)', cell: ({ at }) => shortTime(at) },
      { heading: 'STATUS', cell: statusCell },
      { heading: 'METHOD', cell: 'method' },
      { heading: 'PATH', grows: true, atLeast: 36, cell: 'path' },
      { heading: 'MS', align: 'right', drop: 2, cell: msText },
      { heading: 'CODE', drop: 1, cell: 'code' },
    ],
    empty: 'No requests',
    ...JOURNAL,
  }),
);

export const proxyScreen = listScreen(
  {
    name: 'proxy calls',
    says: 'calls to third parties, each explained',
    words: 'vault proxy third party explanation',
  },
  listPane('GET /_kyclone/requests', {
    title: 'Proxy calls',
    query: { control: false, path: '/vault_proxy/*' },
    columns: [
      { heading: 'AT (UTC)', cell: ({ at }) => shortTime(at) },
      { heading: 'STATUS', cell: statusCell },
      { heading: 'CALL', cell: ({ path }) => path.replace('/vault_proxy/', '') },
      { heading: 'TARGET', grows: true, cell: ({ proxy }) => proxy?.url ?? '-' },
      { heading: 'ANSWER', cell: proxyAnswer },
      { heading: 'TOKENS', align: 'right', cell: ({ proxy }) => String(proxy?.tokens.length ?? 0) },
      { heading: 'MS', align: 'right', drop: 1, cell: msText },
      { heading: 'CODE', drop: 2, cell: 'code' },
    ],
    empty: 'No proxy calls',
    ...JOURNAL,
  }),
);

function entryRow(entry: JournalEntry): Omit<Row, 'cells' | 'data' | 'key'> {
  return {
    id: entry.id,
    command: ['requests', 'get', entry.id],
    call: callAgain(entry),
    opens: { screen: 'request', params: { request_id: entry.id } },
    ...(entry.proxy?.sent === false && { opensPane: PROXY_PANE }),
  };
}

function msText({ ms }: JournalEntry): string {
  return String(Math.round(ms));
}

/**
 * The same request, if the journal has all of it: nothing is masked, it had no body (bodies are masked), and it was
 * made with a key rather than a client token or proxy headers.
 */
function callAgain({ method, path, request, route, token_id: token }: JournalEntry): CallText | undefined {
  const hasBody = request !== null && request !== undefined;
  const isWhole = !path.includes('***') && !hasBody && token === undefined;
  return isWhole && route !== null && !route.startsWith('/vault_proxy/') ? { method, path } : undefined;
}

/** The status of the target. Without one: a dry run, a call that was not sent, or one without an answer. */
function proxyAnswer({ route, proxy }: JournalEntry): string | Cell {
  if (isDryRun(route)) return { text: 'dry run', tone: 'dim' };
  if (proxy === undefined || !proxy.sent) return { text: NOT_SENT, tone: 'bad' };
  return proxy.status === null ? { text: 'none', tone: 'bad' } : String(proxy.status);
}

export const requestScreen: ScreenDefinition = {
  title: ({ request_id = '' }) => `Request ${request_id}`,
  panes: [
    recordPane(findEntry, {
      changesWith: [],
      title: 'Request',
      empty: 'Nothing is known about it',
      page: (entry) => ({ rows: factRows(requestFacts(entry), copiesOfEntry(entry)), record: entry }),
    }),
    bodyPane('Body', 'It had no body', ({ request }) => request),
    bodyPane('Answer', 'The answer had no body', ({ response }) => response),
    recordPane(findEntry, { changesWith: [], title: PROXY_PANE, empty: 'Not a proxy call', page: proxyPart }),
  ],
};

function bodyPane(
  title: string,
  empty: string,
  bodyOf: (entry: JournalEntry) => unknown,
): ScreenDefinition['panes'][number] {
  return recordPane(findEntry, {
    changesWith: [],
    title,
    empty,
    columns: JSON_COLUMNS,
    page: (entry) => ({ rows: jsonRows(bodyOf(entry), copiesOfEntry(entry)), record: bodyOf(entry) ?? null }),
  });
}

/** An entry of the journal never changes. */
async function findEntry(
  source: Source,
  { params: { request_id: id = '' } }: PageQuery,
): Promise<JournalEntry> {
  return await source.once(`request ${id}`, () =>
    source.client.call('GET /_kyclone/requests/{id}', { params: { id } }),
  );
}

function copiesOfEntry({ id }: JournalEntry) {
  return { id, ...copiesOf(['requests', 'get', id], `/_kyclone/requests/${id}`) };
}

async function proxyPart(entry: JournalEntry, { client }: Source): Promise<Pick<Page, 'rows' | 'record'>> {
  const { id, proxy } = entry;
  if (proxy === undefined) return { rows: [], record: null };
  const explanation = await client.call('GET /_kyclone/requests/{id}/proxy', { params: { id } });
  const rows = factRows(explanationFacts(explanation, entry), {
    id,
    ...copiesOf(['proxy', 'explain', id], `/_kyclone/requests/${id}/proxy`),
  });
  return { rows, record: explanation };
}

// The facts of a request in the journal, without its bodies.

function requestFacts(entry: JournalEntry): readonly Fact[] {
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
    ...fact('operator', entry.operator),
    ...(tenant === null ? [] : fact('space', `${tenant}, ${environment ?? '-'}`)),
    ...fact('fault rules', faults.join(', '), 'warn'),
    ...(proxy ? [{ name: 'proxied to', text: proxiedText(proxy), isProse: true }] : []),
    ...prose('hint', hint, 'warn'),
  ];
}

/** A request that was cut off has no status. */
function statusCell({ status }: Pick<JournalEntry, 'status'>): Cell {
  if (status === 0) return { text: 'cut', tone: 'bad' };
  return { text: String(status), tone: status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good' };
}
