import { jsonSection, listView, pairs, table } from '../../../cli/shell/layout.ts';
import { isUtf8 } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import { PINNED_WORDS, strippedTexts, unsentText, unstoredText } from '../../requests/words.ts';
import type { Exchange } from '../../../client/client.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { defined } from '../../../kernel/defined.ts';
import { indentedJson } from '../../../cli/shell/json-text.ts';
import { printable, type Style } from '../../../cli/shell/output.ts';
import { isOfJson, type PrintedAnswer } from './answer.ts';

export type Explanation = AnswerOf<'GET /_kyclone/requests/{id}/proxy'>;
export type Rendering = AnswerOf<'POST /vault_proxy/render'>;
/** The journal's entry of a call, with facts that the explanation lacks. */
type CallEntry = Pick<AnswerOf<'GET /_kyclone/requests/{id}'>, 'route' | 'status' | 'code'>;

/** The target's status and headers, and the blank line after them. */
export function targetHeadView({ status, headers }: PrintedAnswer): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((text) => headerLine(name, text)),
  );
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`.trim(), ...lines, ''].join('\n');
}

/** The target's body for a terminal: JSON indented, numbers unchanged, nothing that moves the cursor. */
export function targetBodyView({ headers, body }: Exchange<Buffer>): string {
  if (!isUtf8(body)) return `<${fileSize(body.length)}; save them with > FILE>`;
  const text = body.toString('utf8');
  return visible(isOfJson(headers) ? indentedJson(text) : text);
}

export function skippedNote(rules: readonly number[]): string {
  return `Nothing matched ingress ${rules.length === 1 ? 'rule' : 'rules'} ${rules.join(', ')}`;
}

export function renderingView({ method, url, headers, body, encoding }: Rendering): string {
  const lines = Object.entries(headers).map(([name, value]) => headerLine(name, value));
  const content =
    encoding === 'base64'
      ? `<${fileSize(Buffer.byteLength(body, 'base64'))}; print them with --json>`
      : visible(body);
  return [`${method} ${printable(url)}`, ...lines, '', content].join('\n').trimEnd();
}

export function renderingNote({ masked, tokens }: Rendering): string {
  if (tokens.length === 0) return 'Nothing was sent; no token was found';
  return masked
    ? 'Nothing was sent; values are masked: --reason TEXT shows them, and is logged'
    : 'Nothing was sent; the values are shown, and the access log records it';
}

/** The result of the call, and the steps of the proxy in order. Steps that it didn't reach are left out. */
export function explanationView(explanation: Explanation, style: Style, entry?: CallEntry): string {
  const { headers, tls, ingress, upstream, withheld, hints } = explanation;
  const parts = [
    entry && outcomeView(entry, explanation.sent, style),
    pairs(
      {
        target: explanation.target,
        policy: explanation.policy,
        addresses: explanation.resolved_addresses.join(', '),
      },
      style,
    ),
    tokensView(explanation.tokens, style),
    pairs(
      {
        'headers forwarded': headers.forwarded.join(', '),
        'headers refused': headers.refused.join(', '),
        ...strippedMembers(headers.stripped),
      },
      style,
    ),
    tls && tlsView(tls, style),
    ingressView(ingress, style),
    upstream && upstreamView(upstream, style),
    withheld && withheldView(withheld, style),
    hints.map((hint) => style.warn(`Hint: ${printable(hint)}`)).join('\n'),
  ];
  return parts.filter(Boolean).join('\n\n');
}

/** Empty for a call that was sent and whose response was passed on: `status` shows that. */
function outcomeView({ route, status, code }: CallEntry, wasSent: boolean, style: Style): string {
  const outcome = code === null ? undefined : `${status} ${code}`;
  return pairs(defined({ outcome, call: unsentText(route, wasSent) }), style);
}

/** On two lines, the second without a name, because together they are wider than many terminals. */
function strippedMembers(names: readonly string[]): Record<string, string> {
  const { others, forProxy } = strippedTexts(names);
  if (forProxy === undefined || others === '') return { 'headers stripped': forProxy ?? others };
  return { 'headers stripped': others, ' ': `and ${forProxy}` };
}

const tokensView = listView<Explanation['tokens']>('No tokens', [
  ['TOKEN', 'token'],
  ['FOUND', ({ found }) => found ?? 'not looked up'],
  ['TRANSFORMS', ({ transforms }) => transforms.join(' | '), 2],
  ['INPUT', 'input_masked', 1],
  ['OUTPUT', 'output_masked'],
]);

function tlsView({ version, pinned, chain }: NonNullable<Explanation['tls']>, style: Style): string {
  const pin = pinned && PINNED_WORDS[pinned];
  const certificates: Record<string, string> = {};
  for (const [index, subject] of chain.entries()) certificates[`certificate ${index + 1}`] = subject;
  return pairs({ TLS: version, 'pin matched': pin, ...certificates }, style);
}

function ingressView(rules: Explanation['ingress'], style: Style): string {
  const rows = rules.map((note, index) => [index + 1, note.rule, ingressResult(note)]);
  return table(['NO', 'INGRESS RULE', 'RESULT'], rows, style, '');
}

function ingressResult(note: Explanation['ingress'][number]): string {
  const { rule, stored_as: storedAs } = note;
  if (storedAs === null) return unstoredText(note);
  return rule.startsWith(`${storedAs}=`) ? 'stored' : `stored as ${storedAs}`;
}

function upstreamView(upstream: NonNullable<Explanation['upstream']>, style: Style): string {
  const { status, ms_connect: connect, ms_total: total } = upstream;
  return pairs(
    { status, 'time to connect': milliseconds(connect), 'time in all': milliseconds(total) },
    style,
  );
}

/** The answer that an ingress rule kept from the caller: the names of its headers, and its masked body. */
export function withheldView({ headers, body }: NonNullable<Explanation['withheld']>, style: Style): string {
  const names = pairs({ 'headers withheld': headers.join(', ') }, style);
  return [names, ...jsonSection('Withheld from the caller', body, style)].join('\n');
}

function milliseconds(value: number | null): string {
  return value === null ? '' : `${value} ms`;
}

function fileSize(bytes: number): string {
  return `${bytes} bytes that are not text`;
}

function headerLine(name: string, value: string): string {
  return `${printable(name)}: ${value === '' ? '' : printable(value)}`;
}

/** Multi-line text of a third party: keeps line ends and tabs, and shows other control characters as escapes. */
function visible(text: string): string {
  return text
    .split(/(\r?\n|\t)/)
    .map((part, index) => (part === '' || index % 2 === 1 ? part.replace('\r', '') : printable(part)))
    .join('');
}
