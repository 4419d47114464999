/**
 * The journal: the filters for entries (contract §11), the views of entries, and one run of `requests tail`.
 *
 * The run ends with a signal, when its output has no reader any more, after the wanted number of entries, or, with
 * exit code 5, when the daemon is lost.
 */
import { string as stringArg } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import type { AnswerOf } from '../../../contract/registry.ts';
import { integerFlag } from '../../../cli/shell/flags.ts';
import { facts, jsonSection, listView, padded, shortTime } from '../../../cli/shell/layout.ts';
import { withheldView } from '../../vault-proxy/commands/view.ts';
import { printable, type Style } from '../../../cli/shell/output.ts';
import type { Connection } from '../../../client/client.ts';
import { UnreachableError } from '../../../client/errors.ts';
import { openStream } from '../../../client/event-stream.ts';
import { untilEnd } from '../../../cli/shell/ending.ts';
import { EXIT } from '../../../cli/shell/exit-codes.ts';
import { defined } from '../../../kernel/defined.ts';
import { entryFilter, proxiedText, type EntryFilter } from '../words.ts';

export type JournalEntry = AnswerOf<'GET /_kyclone/requests/{id}'>;

export const requestArg = {
  id: stringArg({ description: 'x-request-id of the response (req_…)', required: true }),
};

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

export interface TailRun extends EntryFilter {
  readonly stopAfter: number | undefined;
}

/** Returns the exit code. Calls `begun` when entries can arrive. Throws UnreachableError. */
export async function runTail(
  run: TailRun,
  connection: Connection,
  { begun, show }: { begun: () => void; show: (entry: JournalEntry) => void },
): Promise<number> {
  return await untilEnd(async ({ signal, end }) => {
    const messages = await openStream(connection, { types: ['request'], signal });
    begun();
    const isWanted = entryFilter(run);
    let shown = 0;
    for await (const { data } of messages) {
      if (signal.aborted) return;
      const entry = data as unknown as JournalEntry;
      if (!isWanted(entry)) continue;
      show(entry);
      if (++shown === run.stopAfter) end(EXIT.ok);
    }
    if (!signal.aborted)
      throw new UnreachableError('The daemon ended the stream: it stopped or is restarting');
  });
}
