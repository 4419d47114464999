/** A place of the page: what it shows, and what it can do. */
import type { VaultError } from '../form/errors.ts';
import type { FlowState, Place } from './state.ts';

/** What one place shows. */
export interface Shown {
  readonly title: string;
  readonly lead: string;
  readonly content: readonly Node[];
  /** Whether something fails that an app which embeds the page wants to know of. */
  readonly isProblem?: true;
  /** Called when the page goes on to another place. */
  readonly left?: () => void;
}

/** What a place can do. */
export interface Page {
  readonly document: Document;
  readonly state: FlowState;
  go(place: Place): void;
  /** Goes there to change what was given. */
  change(place: Place): void;
  /** Sends a step, and goes on: to where the daemon says, unless `next` names a place. Throws VaultError. */
  send(step: string, body: unknown, next?: (state: FlowState) => Place): Promise<void>;
  readonly complete: (body: unknown) => Promise<void>;
  /** Whether the failure has a screen of its own, which is shown then. */
  readonly failed: (error: VaultError) => boolean;
}
