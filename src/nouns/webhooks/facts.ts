/** Words of events and their deliveries (contract §9). */
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

/** The number of attempts of one series (contract §9.1). */
export const DELIVERY_ATTEMPTS = 8;

/** `failing (3 of 8)` for a delivery that has failed and is tried again, otherwise its status. */
export function deliveryStatusText(delivery: {
  readonly status: DeliveryStatus;
  /** The number of attempts made. */
  readonly attempt: number;
}): string {
  const { status, attempt } = delivery;
  return status === 'pending' && attempt > 0 ? `failing (${attempt} of ${DELIVERY_ATTEMPTS})` : status;
}

/** The prefixes of the three signature headers, by the setting `vocabulary.webhook_style` (contract §9.1). */
export const HEADER_PREFIXES = { standard: 'webhook', svix: 'svix' } as const satisfies Record<
  WebhookStyle,
  string
>;

/** The length of an endpoint's secret in bytes (contract §9.1). */
export const WEBHOOK_SECRET_BYTES = { least: 24, most: 64, made: 32 } as const;
/** The number of events that one call may trigger. */
export const TRIGGER_COUNT = { least: 1, most: 100 } as const;
