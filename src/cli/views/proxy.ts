import { STATUS_CODES } from 'node:http';
import type { AnswerOf } from '../../contract/registry.ts';
import { columns, pairs, printable, type Style } from '../output.ts';
import type { TargetAnswer } from '../proxy-answer.ts';

export type Explanation = AnswerOf<'GET /_kyclone/requests/{id}/proxy'>;
export type Rendering = AnswerOf<'POST /vault_proxy/render'>;

/** The target's status and headers, and the blank line behind them. */
export function targetHeadView({ status, headers }: TargetAnswer): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((text) => headerLine(name, text)),
  );
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`.trim(), ...lines, ''].join('\n');
}

/** The target's body for a terminal: JSON indented, nothing in it that moves a cursor. */
export function targetBodyView({ encoding, body }: TargetAnswer): string {
  if (encoding === 'base64') return `<${fileSize(body as string)}; > FILE keeps them>`;
  return visible(encoding === 'json' ? JSON.stringify(body, null, 2) : String(body));
}

export function skippedNote(rules: readonly number[]): string {
  return `Nothing was found for ingress ${rules.length === 1 ? 'rule' : 'rules'} ${rules.join(', ')}`;
}

/** The request as it would be sent. */
export function renderingView({ method, url, headers, body, encoding }: Rendering): string {
  const lines = Object.entries(headers).map(([name, value]) => headerLine(name, value));
  const content = encoding === 'base64' ? `<${fileSize(body)}; --json has them>` : visible(body);
  return [`${method} ${printable(url)}`, ...lines, '', content].join('\n').trimEnd();
}

export function renderingNote({ masked, tokens }: Rendering): string {
  if (tokens.length === 0) return 'Nothing was sent; no token was found';
  return masked
    ? 'Nothing was sent; masks stand for the values: --reason TEXT shows them, and is logged'
    : 'Nothing was sent; the values are shown, and that is in the access log';
}

/** What the proxy did, in the order in which it did it; parts that it didn't come to are left out. */
export function explanationView(explanation: Explanation, style: Style): string {
  const { headers, tls, ingress, upstream, hints } = explanation;
  const parts = [
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
        'headers stripped': headers.stripped.join(', '),
      },
      style,
    ),
    tls && tlsView(tls, style),
    ingressView(ingress, style),
    upstream && upstreamView(upstream, style),
    hints.map((hint) => style.warn(`Hint: ${printable(hint)}`)).join('\n'),
  ];
  return parts.filter(Boolean).join('\n\n');
}

function tokensView(tokens: Explanation['tokens'], style: Style): string {
  const rows = tokens.map(({ token, found, transforms, input_masked: input, output_masked: output }) => [
    token,
    yesOrNo(found),
    transforms.join(' | '),
    input,
    output,
  ]);
  return columns(['TOKEN', 'FOUND', 'TRANSFORMS', 'INPUT', 'OUTPUT'], rows, style, 'No tokens');
}

const PINNED = { leaf: "the target's own certificate", ca: 'its authority' } as const;

function tlsView({ version, pinned, chain }: NonNullable<Explanation['tls']>, style: Style): string {
  const pin = pinned && PINNED[pinned];
  const certificates: Record<string, string> = {};
  for (const [index, subject] of chain.entries()) certificates[`certificate ${index + 1}`] = subject;
  return pairs({ TLS: version, 'pin matched': pin, ...certificates }, style);
}

function ingressView(rules: Explanation['ingress'], style: Style): string {
  const rows = rules.map(({ rule, matched, stored_as: storedAs, reason }, index) => [
    index + 1,
    rule,
    yesOrNo(matched),
    storedAs,
    reason,
  ]);
  return columns(['NO', 'INGRESS RULE', 'MATCHED', 'STORED AS', 'REASON'], rows, style, '');
}

function upstreamView(upstream: NonNullable<Explanation['upstream']>, style: Style): string {
  const { status, ms_connect: connect, ms_total: total } = upstream;
  return pairs(
    { status, 'time to connect': milliseconds(connect), 'time in all': milliseconds(total) },
    style,
  );
}

function milliseconds(value: number | null): string {
  return value === null ? '' : `${value} ms`;
}

function yesOrNo(is: boolean): string {
  return is ? 'yes' : 'no';
}

function fileSize(base64: string): string {
  return `${Buffer.byteLength(base64, 'base64')} bytes that are no text`;
}

function headerLine(name: string, value: string): string {
  return `${printable(name)}: ${value === '' ? '' : printable(value)}`;
}

/** Text of a third party over several lines: line ends and tabs stay, other control characters become visible. */
function visible(text: string): string {
  return text
    .split(/(\r?\n|\t)/)
    .map((part, index) => (part === '' || index % 2 === 1 ? part.replace('\r', '') : printable(part)))
    .join('');
}
