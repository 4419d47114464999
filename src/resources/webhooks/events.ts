/** What happened, for whoever is to be told: stored with the change that it tells of (contract §9, §4.7). */
import type { EventKind } from '../../contract/webhooks.ts';
import type { Database } from '../../storage/database.ts';
import type { Space } from '../api-keys/index.ts';

export interface NewEvent {
  readonly kind: EventKind;
  readonly fp_id: string;
  /** Members beside event_kind, fp_id, is_live and timestamp; no personal data. */
  readonly members: Readonly<Record<string, unknown>>;
}

export interface Events {
  /**
   * Within the write job of the change: stores the event and a delivery for each enabled endpoint of the space that
   * wants its kind. Kinds beyond onboarding.completed are left out unless `events.extended` is set (contract §9.2).
   */
  emit(database: Database, space: Space, event: NewEvent): void;
}
