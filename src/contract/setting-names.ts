/** The settings by their dotted names, as the command line, the project file and the preferences spell them. */

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
] as const;
export type SettingName = (typeof SETTING_NAMES)[number];
