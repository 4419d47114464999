/** Words of events and their deliveries (contract §9). */
import type { WebhookStyle } from './settings.ts';

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

/** The prefixes of the three signature headers, by the setting `vocabulary.webhook_style` (contract §9.1). */
export const HEADER_PREFIXES = { standard: 'webhook', svix: 'svix' } as const satisfies Record<
  WebhookStyle,
  string
>;

/** The length of an endpoint's secret in bytes (contract §9.1). */
export const WEBHOOK_SECRET_BYTES = { least: 24, most: 64, made: 32 } as const;
/** The number of events that one call may trigger. */
export const TRIGGER_COUNT = { least: 1, most: 100 } as const;
