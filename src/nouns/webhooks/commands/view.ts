import { deliveryStatusText, eventStatus, isSuccess } from '../facts.ts';
import { counted } from '../../../kernel/text/count-text.ts';
import type { EventEntry } from '../../../fixtures/event-catalogue.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { listView, members, pairs, shortTime, table } from '../../../cli/shell/layout.ts';
import { printable, type Style } from '../../../cli/shell/output.ts';
import type { LineOf, ListenLine } from './listening.ts';
import type { Delivery, TriggerResult } from './triggering.ts';
import type { SignatureVerdict } from './verify.ts';
import { defined } from '../../../kernel/defined.ts';

type Endpoint = AnswerOf<'GET /_kyclone/webhooks/{id}'>;
type Event = AnswerOf<'GET /_kyclone/events'>['data'][number];
type Attempt = Delivery['attempts'][number];

export function endpointView(endpoint: Endpoint, style: Style): string {
  const { id, url, secret, disabled_reason, ...rest } = endpoint;
  const first = { id, url, ...defined({ secret }) };
  const shown = members(rest, { kinds: ['events', (kinds) => kinds.join(', ')] });
  const why = disabled_reason === null ? {} : { 'disabled because': disabled_reason };
  return pairs({ ...first, ...shown, ...why }, style);
}

export const endpointListView = listView<AnswerOf<'GET /_kyclone/webhooks'>>('No webhook endpoints', [
  ['ID', 'id'],
  ['ENABLED', 'enabled'],
  ['URL AND EVENTS', ({ url, kinds }) => `${url} ${kinds.join(' ')}`],
]);

/** Two lines for each event: its ids don't fit beside the rest. */
export const eventListView = listView<AnswerOf<'GET /_kyclone/events'>>('No events', [
  ['AT (UTC)', ({ at }) => shortTime(at)],
  ['KIND', 'kind'],
  ['STATUS', eventStatus],
  [
    'EVENT AND ENTITY',
    ({ id, body, masked_name }) => [id, String(body['fp_id']), masked_name ?? []].flat().join(' '),
    'below',
  ],
]);

export const deliveryListView = listView<AnswerOf<'GET /_kyclone/deliveries'>>('No deliveries', [
  ['LAST (UTC)', ({ at }) => shortTime(at)],
  ['KIND', 'kind'],
  ['STATUS', deliveryStatusText],
  ['ANSWER', ({ response_status, error }) => response_status ?? (error === null ? null : 'none'), 1],
  ['MORE', detailsOf, 'below'],
]);

function detailsOf({
  id,
  event_id,
  fp_id,
  external_id,
  masked_name,
  webhook_id,
  url,
  error,
  hint,
  next_at,
}: Delivery): string {
  const who = [fp_id, external_id ?? [], masked_name ?? []].flat().join(' ');
  const ids = `${who} to ${url} (${webhook_id}), ${id} of ${event_id}`;
  const next = next_at === null ? undefined : `next attempt ${shortTime(next_at)}`;
  return [ids, error ?? undefined, hint ?? undefined, next].filter((part) => part !== undefined).join(', ');
}

export function attemptsView(deliveries: readonly Delivery[], style: Style): string {
  if (deliveries.length === 0) return 'No deliveries';
  return deliveries
    .flatMap((delivery) => {
      const { id, kind, event_id, webhook_id, url, next_at, attempts } = delivery;
      const status = deliveryStatusText(delivery);
      const next = next_at === null ? '' : `, next attempt ${printable(next_at)}`;
      const attemptLines = (attempt: Attempt) => [
        `  ${style.dim(printable(attempt.at))}  ${attemptEnd(attempt, style)}`,
        ...signatureLines(attempt, style),
      ];
      return [
        `${style.bold(printable(id))}  ${printable(kind)}  ${printable(event_id)}  ${coloured(status, style)}${next}`,
        `  to ${printable(webhook_id)} ${printable(url)}`,
        ...attempts.flatMap(attemptLines),
      ];
    })
    .join('\n');
}

export function resentView({ data }: AnswerOf<'POST /_kyclone/events/{id}/resend'>, style: Style): string {
  const rows = data.map(({ id, webhook_id, url }) => [id, webhook_id, url]);
  return table(['DELIVERY', 'ENDPOINT', 'URL'], rows, style, 'No endpoint takes it; nothing was sent');
}

export function triggerView({ events, deliveries, as_expected }: TriggerResult, style: Style): string {
  const lines = events.map((event) => eventText(event, style));
  const sent = deliveries.filter((one): one is Delivery => 'attempts' in one);
  const verdict = as_expected
    ? style.good('Every first attempt had the expected result')
    : style.bad('Some first attempts had an unexpected result');
  const attempts = sent.map((one) => firstAttemptText(one, style));
  return [...lines, ...attempts, ...(as_expected === null ? [] : [verdict])].join('\n');
}

export function verdictView(
  { valid, message, webhook_id, signed_at, hint }: SignatureVerdict,
  style: Style,
): string {
  const about = { id: webhook_id, 'signed at': signed_at };
  return [
    (valid ? style.good : style.bad)(printable(message)),
    ...(webhook_id === null ? [] : [pairs(about, style)]),
    ...(hint === null ? [] : [style.dim(`Hint: ${printable(hint)}`)]),
  ].join('\n');
}

export function listenView(line: ListenLine, style: Style): string {
  switch (line.type) {
    case 'ready':
      return readyText(line, style);
    case 'event':
      return eventText(line, style);
    case 'delivery':
      return deliveryText(line, style);
    case 'lost': {
      const then = line.seconds === 0 ? '' : `; looking for it for ${line.seconds} s`;
      return `${style.warn('Lost the daemon')} (${printable(line.reason)})${then}`;
    }
    case 'restored': {
      const ids = line.registered.length === 0 ? '' : `: ${printable(line.registered.join(', '))}`;
      const what = ids === '' ? 'The daemon is back' : 'Endpoints registered again';
      return `${style.good(what)} at ${printable(line.base_url)}${ids}`;
    }
    case 'end':
      return endText(line, style);
  }
}

function readyText({ base_url, targets }: LineOf<'ready'>, style: Style): string {
  const lines = targets.flatMap(({ webhook_id, url, secret, is_new, enabled, kinds }) => [
    `  ${style.bold(printable(url))}  ${printable(webhook_id)}  ${is_new ? 'registered until this run ends' : 'registered before; this run does not remove it'}`,
    ...(secret === null ? [] : [`  secret ${printable(secret)}`]),
    ...(is_new || kinds.includes('*') ? [] : [`  takes ${printable(kinds.join(', '))} only`]),
    ...(enabled
      ? []
      : [style.warn(`  is disabled: kyclone webhooks update ${printable(webhook_id)} --enable`)]),
  ]);
  const events = `the events of ${printable(base_url)}`;
  const what = targets.length === 0 ? `watching ${events}` : `forwarding ${events} to`;
  return [`${style.good('Ready')}, ${what}`, ...lines].join('\n');
}

function eventText(event: Event | LineOf<'event'>, style: Style): string {
  const status = eventStatus(event);
  return [
    style.dim(printable(event.at)),
    style.bold(printable(event.kind)),
    printable(event.body['fp_id']),
    ...(status === undefined ? [] : [coloured(status, style)]),
    style.dim(printable(event.id)),
    ...('is_past' in event && event.is_past ? [style.dim('(before)')] : []),
  ].join('  ');
}

function deliveryText(line: LineOf<'delivery'>, style: Style): string {
  const { at, url, attempt, response_status, error, ms, hint, next_at } = line;
  const last = { attempt, at: at ?? '', response_status, error, ms: ms ?? 0, hint };
  const next = next_at === null ? [] : [`   next attempt ${printable(next_at)}`];
  return [`${style.dim(printable(at))}  → ${printable(url)}  ${attemptEnd(last, style)}`, ...next].join('\n');
}

function firstAttemptText(delivery: Delivery, style: Style): string {
  const first = delivery.attempts.find(({ attempt }) => attempt === 1);
  const outcome = first ? attemptEnd(first, style) : style.bad('no attempt was made in time');
  return `→ ${printable(delivery.url)}  ${outcome}`;
}

/** The signed headers that differ between attempts, as `webhooks verify` takes them. */
function signatureLines(
  { webhook_timestamp: seconds, webhook_signature: signature }: Attempt,
  style: Style,
): readonly string[] {
  if (seconds === null || signature === null) return [];
  const headers = [`webhook-timestamp: ${seconds}`, `webhook-signature: ${signature}`];
  return headers.map((header) => `   ${style.dim(printable(header))}`);
}

type AttemptEnd = Omit<Attempt, 'webhook_timestamp' | 'webhook_signature'>;

/** The response, its duration, and a hint on its own line. */
function attemptEnd({ attempt, response_status: status, error, ms, hint }: AttemptEnd, style: Style): string {
  const answer = status === null ? printable(error ?? 'no answer') : String(status);
  const parts = [
    (isSuccess(status) ? style.good : style.bad)(answer),
    `${Math.round(ms)} ms`,
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
  ];
  return parts.join('  ') + (hint === null ? '' : `\n   ${style.dim(`Hint: ${printable(hint)}`)}`);
}

const EARLY_ENDS = {
  enough: 'the requested number was reached',
  timeout: 'the time ran out',
  lost: 'the daemon was not found again',
} as const;

function endText({ reason, events, attempts, left }: LineOf<'end'>, style: Style): string {
  const why = reason === 'told' ? 'Ended' : `Ended: ${EARLY_ENDS[reason]}`;
  const rest = left.length === 0 ? [] : [style.warn(`Not removed: ${left.map(printable).join(', ')}`)];
  return [`${why}; ${counted(events, 'event')}, ${counted(attempts, 'attempt')}`, ...rest].join('\n');
}

function coloured(status: string, style: Style): string {
  if (status === 'pass' || status === 'delivered') return style.good(printable(status));
  if (status === 'fail' || status === 'failed' || status === 'error') return style.bad(printable(status));
  return style.warn(printable(status));
}

export const eventKindView = listView<readonly EventEntry[]>('No such kind', [
  ['KIND', 'kind'],
  ['BY DEFAULT', 'by_default'],
  [
    'WHEN AND MEMBERS',
    ({ summary, body }) => `${summary}. Members: ${Object.keys(body).join(', ')}`,
    'below',
  ],
]);
