/**
 * The settings by their dotted names, as in the command line, the project file and the preferences (contract §0.13).
 */

export const SETTING_NAMES = [
  'egress.policy',
  'egress.extra_roots',
  'vocabulary.event_prefix',
  'vocabulary.partner_a',
  'vocabulary.partner_b',
  'vocabulary.partner_response',
  'vocabulary.vendors',
  'vocabulary.secret_key_header',
  'vocabulary.duplicate_name_dob',
  'vocabulary.webhook_style',
  'cors.origins',
  'hosts',
  'events.extended',
  'partner_b.forward',
  'webhooks.timestamp',
  'bank.refresh_limits',
  'support.reasons',
] as const;

export const EGRESS_POLICIES = ['strict', 'local', 'open'] as const;
export type EgressPolicy = (typeof EGRESS_POLICIES)[number];

export const WEBHOOK_STYLES = ['standard', 'svix'] as const;
export type WebhookStyle = (typeof WEBHOOK_STYLES)[number];

/** Which clock the timestamp of a delivery's signature shows (contract §9.1). */
export const TIMESTAMP_CLOCKS = ['real', 'clock'] as const;

/** The header of the secret key, if `vocabulary.secret_key_header` names no other (contract §0.2). */
export const DEFAULT_SECRET_KEY_HEADER = 'x-service-secret-key';
