/** Kinds of entries in an entity's timeline (contract §11). Entries of the same moment are in this order. */
export const TIMELINE_KINDS = [
  'read',
  'act',
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
