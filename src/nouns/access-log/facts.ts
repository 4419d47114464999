/** Words of the access log (contract §11). */

/** Actions on an entity or an event. Their reasons are sealed at rest. */
export const ACT_OPERATIONS = [
  'label',
  'tag',
  'owner',
  'note',
  'resend',
  'run',
  'resolve',
  'decide',
  'review_hit',
  'request_info',
  'delete_data',
  'delete',
  'claim',
] as const;
export type ActOperation = (typeof ACT_OPERATIONS)[number];

export const ACCESS_OPERATIONS = [
  'decrypt',
  'download',
  'integrity',
  'proxy',
  'integration',
  'reflect',
  'search',
  'verify',
  'compare',
  ...ACT_OPERATIONS,
] as const;
export type AccessOperation = (typeof ACCESS_OPERATIONS)[number];

export const ACCESS_OUTCOMES = ['granted', 'refused'] as const;
export type AccessOutcome = (typeof ACCESS_OUTCOMES)[number];

/** Filters of verifications by how often somebody was wrong. */
export const ACCESS_MISSES = ['repeated'] as const;

/** Verdicts of the anchor beside the store about the log; `none` for an instance in memory. */
export const ANCHOR_STATES = ['level', 'anchor_behind', 'log_behind', 'missing', 'damaged', 'none'] as const;
export type AnchorState = (typeof ANCHOR_STATES)[number];

/** The longest reason, in characters. */
export const REASON_LIMIT = 1_000;

/** The longest name of an operator, in characters. */
export const OPERATOR_LIMIT = 100;
/** Names the operator, percent-encoded. */
export const OPERATOR_HEADER = 'x-kyclone-operator';
/** The number of the last entry of the access log that the caller knew when it prepared the action. */
export const SEEN_HEADER = 'x-kyclone-seen';

/** The credential that was used to read a value. */
export const ACTOR_KINDS = ['api_key', 'client_token', 'control_token'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];
