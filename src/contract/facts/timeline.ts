/** What happens to an entity, as its timeline shows it (contract §11). What has one moment stands in this order. */
export const TIMELINE_KINDS = [
  'read',
  'event',
  'note',
  'hit',
  'decision',
  'signals',
  'run',
  'bank_link',
  'document',
  'mark',
  'vault',
  'created',
] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];
