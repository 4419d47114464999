/** The journal: all requests, newest first, those of the proxy alone, and a single one (contract §11). */
import type { AnswerOf } from '../../contract/registry.ts';
import { shortTime } from '../../kernel/terminal-text.ts';
import type { Source } from '../data/source.ts';
import type { CallText, Page, Row } from '../state/model.ts';
import type { PageQuery, PaneDefinition, ScreenDefinition } from './definition.ts';
import { FACT_COLUMNS, factRows } from './fact-rows.ts';
import { JSON_COLUMNS, jsonRows } from './json-rows.ts';
import { explanationFacts } from './proxy-explanation.ts';
import { requestFacts, statusCell } from './request-facts.ts';
import { defined } from '../../kernel/defined.ts';

type JournalEntry = AnswerOf<'GET /_kyclone/requests/{id}'>;

/** The paths of vault proxy calls. */
const PROXY_PATHS = '/vault_proxy/*';

export const requestsScreen: ScreenDefinition = {
  name: 'requests',
  paletteName: 'requests',
  title: () => 'Requests',
  panes: [
    {
      title: 'Requests',
      columns: [
        { heading: 'AT (UTC)' },
        { heading: 'STATUS' },
        { heading: 'METHOD' },
        { heading: 'PATH', grows: true, atLeast: 36 },
        { heading: 'MS', align: 'right', drop: 2 },
        { heading: 'CODE', drop: 1 },
      ],
      empty: 'No requests',
      changesWith: ['request', 'read'],
      isFeed: true,
      load: (source, query) => loadEntries(source, query, {}, requestCells),
    },
  ],
};

export const proxyScreen: ScreenDefinition = {
  name: 'proxy',
  paletteName: 'proxy calls',
  title: () => 'Proxy calls',
  panes: [
    {
      title: 'Proxy calls',
      columns: [
        { heading: 'AT (UTC)' },
        { heading: 'STATUS' },
        { heading: 'CALL' },
        { heading: 'TARGET', grows: true },
        { heading: 'ANSWER' },
        { heading: 'TOKENS', align: 'right' },
        { heading: 'MS', align: 'right', drop: 1 },
        { heading: 'CODE', drop: 2 },
      ],
      empty: 'No proxy calls',
      changesWith: ['request', 'read'],
      isFeed: true,
      load: (source, query) => loadEntries(source, query, { path: PROXY_PATHS }, proxyCells),
    },
  ],
};

async function loadEntries(
  { client }: Source,
  { cursor, size }: PageQuery,
  filter: { readonly path?: string },
  cellsOf: (entry: JournalEntry) => Row['cells'],
): Promise<Page> {
  const { data, meta } = await client.call('GET /_kyclone/requests', {
    query: { control: false, page_size: size, ...filter, ...defined({ cursor }) },
  });
  const rows = data.map((entry): Row => ({
    data: entry,
    key: entry.id,
    cells: cellsOf(entry),
    id: entry.id,
    command: ['requests', 'get', entry.id],
    call: callAgain(entry),
    opens: { screen: 'request', params: { request_id: entry.id } },
  }));
  return { rows, next: meta.next, total: meta.count };
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

function requestCells(entry: JournalEntry): Row['cells'] {
  const { at, method, path, ms, code } = entry;
  return [shortTime(at), statusCell(entry), method, path, String(Math.round(ms)), code ?? '-'];
}

function proxyCells(entry: JournalEntry): Row['cells'] {
  const { at, path, ms, code, proxy } = entry;
  return [
    shortTime(at),
    statusCell(entry),
    path.replace('/vault_proxy/', ''),
    proxy?.url ?? '-',
    String(proxy?.status ?? '-'),
    String(proxy?.tokens.length ?? 0),
    String(Math.round(ms)),
    code ?? '-',
  ];
}

export const requestScreen: ScreenDefinition = {
  name: 'request',
  title: ({ request_id = '' }) => `Request ${request_id}`,
  panes: [
    pane('Request', FACT_COLUMNS, 'Nothing is known about it', (entry) => ({
      rows: factRows(requestFacts(entry), copiesOf(entry)),
      record: entry,
    })),
    pane('Body', JSON_COLUMNS, 'It had no body', (entry) => bodyPart(entry, entry.request)),
    pane('Answer', JSON_COLUMNS, 'The answer had no body', (entry) => bodyPart(entry, entry.response)),
    pane('Proxy', FACT_COLUMNS, 'Not a proxy call', proxyPart),
  ],
};

type Part = Pick<Page, 'rows' | 'record'>;

function bodyPart(entry: JournalEntry, body: unknown): Part {
  return { rows: jsonRows(body, copiesOf(entry)), record: body ?? null };
}

/** An entry of the journal never changes. */
function pane(
  title: string,
  columns: PaneDefinition['columns'],
  empty: string,
  partOf: (entry: JournalEntry, source: Source) => Part | Promise<Part>,
): PaneDefinition {
  return {
    title,
    columns,
    empty,
    changesWith: [],
    load: async (source, { params: { request_id = '' } }) => {
      const entry = await source.once(`request ${request_id}`, () =>
        source.client.call('GET /_kyclone/requests/{id}', { params: { id: request_id } }),
      );
      return { ...(await partOf(entry, source)), next: null };
    },
  };
}

function copiesOf({ id }: JournalEntry): Pick<Row, 'id' | 'command' | 'call'> {
  return {
    id,
    command: ['requests', 'get', id],
    call: { method: 'GET', path: `/_kyclone/requests/${id}` },
  };
}

async function proxyPart(entry: JournalEntry, { client }: Source): Promise<Part> {
  const { id, proxy } = entry;
  if (proxy === undefined) return { rows: [], record: null };
  const explanation = await client.call('GET /_kyclone/requests/{id}/proxy', { params: { id } });
  const rows = factRows(explanationFacts(explanation, entry), {
    id,
    command: ['proxy', 'explain', id],
    call: { method: 'GET', path: `/_kyclone/requests/${id}/proxy` },
  });
  return { rows, record: explanation };
}
