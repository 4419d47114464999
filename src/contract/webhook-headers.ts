import type { Settings } from './settings.ts';

export type WebhookStyle = Settings['vocabulary']['webhook_style'];

/** What the names of the three signature headers begin with, by the setting `vocabulary.webhook_style` (contract §9.1). */
export const HEADER_PREFIXES = { standard: 'webhook', svix: 'svix' } as const satisfies Record<
  WebhookStyle,
  string
>;
