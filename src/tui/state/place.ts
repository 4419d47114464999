/** Where the user can be. */
export type ScreenName =
  | 'users'
  | 'businesses'
  | 'found'
  | 'reviews'
  | 'entity'
  | 'banks'
  | 'bank'
  | 'events'
  | 'event'
  | 'deliveries'
  | 'delivery'
  | 'requests'
  | 'request'
  | 'proxy'
  | 'clock'
  | 'snapshots'
  | 'webhooks'
  | 'outcomes'
  | 'playbooks'
  | 'keys'
  | 'access'
  | 'comparison'
  | 'run';

/** A place that the user can go to. */
export interface ScreenPlace {
  readonly screen: ScreenName;
  /** For screens about one thing, its id: `fp_id`, `link_id`, `request_id` and so on. */
  readonly params: Readonly<Record<string, string>>;
}
