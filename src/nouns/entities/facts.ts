/** Words of users, businesses and their labels (contract §0.2, §4.4, §10). */

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

export const ENVIRONMENTS = ['sandbox', 'live'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

export const DEFAULT_TENANT = 'default';
/** The tenant as a screen names it: the default one has no name there. */
export const namedTenant = (tenant?: string) => (tenant === DEFAULT_TENANT ? undefined : tenant);

export const ENTITY_KINDS = ['user', 'business'] as const;
export type EntityKind = (typeof ENTITY_KINDS)[number];

export const ENTITY_STATUSES = ['pass', 'fail', 'incomplete', 'pending', 'none'] as const;
export type EntityStatus = (typeof ENTITY_STATUSES)[number];

/** Labels that are set by hand (contract §10). */
export const LABELS = ['active', 'offboard_fraud', 'offboard_other'] as const;
export type Label = (typeof LABELS)[number];
