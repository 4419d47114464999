/** Words of events and their deliveries (contract §9). */
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../kernel/numbers/units.ts';
import type { WebhookStyle } from '../settings/facts.ts';

/** Without the prefix of the vocabulary (contract §9.2). */
export const EVENT_KINDS = [
  'onboarding.completed',
  'onboarding.status_changed',
  'user.manual_review',
  'user.info_requested',
  'user.bank_link_updated',
  'vault.updated',
  'watchlist_check.completed',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
/** What a list of deliveries is filtered by: `failing` is pending after at least one failed attempt. */
export const DELIVERY_FILTERS = [...DELIVERY_STATUSES, 'failing'] as const;
export type DeliveryFilterStatus = (typeof DELIVERY_FILTERS)[number];

/** When a delivery is tried again after each of its failures, in milliseconds from that failure (contract §9.1). */
export const RETRIES_AFTER_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
];
/** The number of attempts of one series (contract §9.1). */
const DELIVERY_ATTEMPTS = RETRIES_AFTER_MS.length + 1;

/** `attempt`: the number of attempts made. */
export function deliveryState(status: DeliveryStatus, attempt: number): DeliveryFilterStatus {
  return status === 'pending' && attempt > 0 ? 'failing' : status;
}

/** `failing (3 of 8)` for a delivery that has failed and is tried again, otherwise its status. */
export function deliveryStatusText(delivery: {
  readonly status: DeliveryStatus;
  /** The number of attempts made. */
  readonly attempt: number;
}): string {
  const state = deliveryState(delivery.status, delivery.attempt);
  return state === 'failing' ? `failing (${delivery.attempt} of ${DELIVERY_ATTEMPTS})` : state;
}

/** Whether a receiver accepted a delivery; null without a response. */
export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** The result that an event reports; undefined for a kind without one. */
export function eventStatus({ body }: { readonly body: Readonly<Record<string, unknown>> }) {
  const status = body['new_status'] ?? body['status'];
  return typeof status === 'string' ? status : undefined;
}

/** The difference of a signature's time that receivers tolerate (contract §9.1). */
export const TOLERANCE_MS = 5 * MINUTE_MS;

/** The prefixes of the three signature headers, by the setting `vocabulary.webhook_style` (contract §9.1). */
export const HEADER_PREFIXES = { standard: 'webhook', svix: 'svix' } as const satisfies Record<
  WebhookStyle,
  string
>;

/** The length of an endpoint's secret in bytes (contract §9.1). */
export const WEBHOOK_SECRET_BYTES = { least: 24, most: 64, made: 32 } as const;
/** The number of events that one call may trigger. */
export const TRIGGER_COUNT = { least: 1, most: 100 } as const;
