import type { AnswerOf } from '../../contract/registry.ts';
import { facts, padded, shortTime, table } from '../shell/layout.ts';
import { indentedJson } from '../shell/json-text.ts';
import { printable, type Style } from '../shell/output.ts';
import type { JournalEntry } from './filters.ts';
import { moreView } from '../entities/view.ts';

const METHOD_WIDTH = 'OPTIONS'.length;

export function requestListView({ data, meta }: AnswerOf<'GET /_kyclone/requests'>, style: Style): string {
  const rows = data.map((entry) => [
    entry.id,
    shortTime(entry.at),
    statusText(entry),
    entry.method,
    [entry.path, ...notesOf(entry)].join(' '),
  ]);
  const headings = ['REQUEST', 'AT (UTC)', 'STATUS', 'METHOD', 'PATH'];
  return [table(headings, rows, style, 'No requests'), ...moreView(meta, data.length, style)].join('\n');
}

/** The whole entry; what it says of bodies is masked already. */
export function requestView(entry: JournalEntry, style: Style): string {
  const { proxy, hint } = entry;
  const caller = entry.key_id ?? entry.token_id;
  const head = facts(
    {
      request: entry.id,
      at: entry.at,
      asked: `${entry.method} ${entry.path}`,
      route: entry.route,
      status: { text: statusText(entry), paint: paintOf(entry, style) },
      ...(entry.code !== null && { code: entry.code }),
      time: `${entry.ms} ms`,
      caller: caller === undefined ? null : `${caller} (${entry.tenant ?? '-'}, ${entry.environment ?? '-'})`,
      ...(entry.faults.length > 0 && { 'fault rules': entry.faults }),
      ...(proxy && { 'proxied to': `${proxy.url}, which answered ${proxy.status ?? 'nothing'}` }),
      ...(proxy && proxy.tokens.length > 0 && { 'proxy tokens': proxy.tokens }),
      ...(hint !== undefined && { hint }),
    },
    style,
  );
  return [
    head,
    ...bodyLines('Request', entry.request, style),
    ...bodyLines('Response', entry.response, style),
    ...(proxy ? ['', style.dim(`More: kyclone proxy explain ${printable(entry.id)}`)] : []),
  ].join('\n');
}

/** One line of `requests tail`. */
export function requestLine(entry: JournalEntry, style: Style): string {
  const status = paintOf(entry, style)(printable(statusText(entry)));
  const notes = notesOf(entry).map(printable).join(' ');
  return [
    style.dim(shortTime(entry.at).slice('2026-01-31 '.length)),
    status,
    padded(printable(entry.method), METHOD_WIDTH),
    printable(entry.path),
    style.dim(`${entry.ms} ms`),
    ...(notes === '' ? [] : [style.warn(notes)]),
    style.dim(printable(entry.id)),
  ].join('  ');
}

function statusText({ status }: JournalEntry): string {
  return status === 0 ? 'cut' : String(status);
}

function paintOf({ status }: JournalEntry, style: Style): (text: string) => string {
  if (status === 0 || status >= 500) return style.bad;
  return status >= 400 ? style.warn : style.good;
}

/** What is said of it beside its path. */
function notesOf({ code, faults, hint }: JournalEntry): string[] {
  return [
    ...(code === null ? [] : [code]),
    ...faults.map((id) => `(${id})`),
    ...(hint === undefined ? [] : [`(${hint})`]),
  ];
}

function bodyLines(name: string, body: unknown, style: Style): string[] {
  if (body === null || body === undefined) return [];
  const lines = indentedJson(JSON.stringify(body))
    .split('\n')
    .map((line) => `  ${printable(line)}`);
  return ['', style.bold(name), ...lines];
}
