/** The journal: the filters for entries (contract §11), and the views of entries. */
import { boolean, string } from '@oclif/core/flags';
import type { AnswerOf } from '../../../contract/registry.ts';
import { integerFlag } from '../../../cli/shell/flags.ts';
import { facts, jsonSection, listView, padded, shortTime } from '../../../cli/shell/layout.ts';
import { withheldView } from '../../vault-proxy/commands/view.ts';
import { printable, type Style } from '../../../cli/shell/output.ts';
import { defined } from '../../../kernel/defined.ts';
import { proxiedText } from '../words.ts';

export type JournalEntry = AnswerOf<'GET /_kyclone/requests/{id}'>;

export const filterFlags = {
  method: string({ summary: 'only of this method', helpValue: 'METHOD' }),
  path: string({ summary: 'only to these paths: * is one segment, ** any number', helpValue: 'GLOB' }),
  status: integerFlag({
    summary: 'only with this status; 0 for those without a response',
    min: 0,
    max: 599,
    helpValue: 'STATUS',
  }),
  control: boolean({ summary: 'also calls below /_kyclone/, which kyclone itself makes' }),
};

/** A path of the control plane includes its calls. */
export function wantsControl({ control, path }: { control: boolean; path?: string | undefined }): boolean {
  return control || path?.startsWith('/_kyclone') === true;
}

const METHOD_WIDTH = 'OPTIONS'.length;

export const requestListView = listView<AnswerOf<'GET /_kyclone/requests'>>('No requests', [
  ['REQUEST', 'id'],
  ['AT (UTC)', ({ at }) => shortTime(at)],
  ['STATUS', statusText],
  ['METHOD', 'method'],
  ['PATH', (entry) => [entry.path, ...notesOf(entry)].join(' ')],
]);

/** The whole entry. Bodies in it are masked already. */
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
      ...(entry.operator && { operator: entry.operator }),
      ...(entry.faults.length > 0 && { 'fault rules': entry.faults }),
      ...(proxy && { 'proxied to': proxiedText(proxy) }),
      ...(proxy && proxy.tokens.length > 0 && { 'proxy tokens': proxy.tokens }),
      ...defined({ hint }),
    },
    style,
  );
  return [
    head,
    ...jsonSection('Request', entry.request, style),
    ...jsonSection('Response', entry.response, style),
    ...(proxy?.withheld ? ['', withheldView(proxy.withheld, style)] : []),
    ...(proxy ? ['', style.dim(`More: kyclone proxy explain ${printable(entry.id)}`)] : []),
  ].join('\n');
}

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

function notesOf({ code, faults, hint }: JournalEntry): string[] {
  return [
    ...(code === null ? [] : [code]),
    ...faults.map((id) => `(${id})`),
    ...(hint === undefined ? [] : [`(${hint})`]),
  ];
}
