/** A place of the page: its content and its actions. */
import type { VaultError } from '../form/errors.ts';
import type { DrawingName } from './drawings.ts';
import type { FlowState, HostedPlaceName } from './state.ts';

export interface ShownPlace {
  readonly title: string;
  readonly lead: string;
  readonly content: readonly Node[];
  /** Whether this is an error that is reported to an embedding app. */
  readonly isProblem?: true;
  /** The picture of a last screen, from which a button leads back to the app. */
  readonly drawing?: DrawingName;
  /** Called when the page moves to another place. */
  readonly left?: () => void;
}

/** The e-mail address or phone number that the app knows of the person. */
export interface KnownContact {
  readonly identifier: 'id.email' | 'id.phone_number';
  readonly value: string;
}

/** What the person gave since the page was opened; a reload forgets it. */
export interface Memory {
  contact: KnownContact | undefined;
  /** By side of the document. */
  readonly pictures: Map<string, File>;
}

/** The actions available to a place. */
export interface HostedPage {
  readonly state: FlowState;
  readonly memory: Memory;
  go(place: HostedPlaceName): void;
  /** Goes to a place to change its entries. */
  change(place: HostedPlaceName): void;
  /** Sends a step, then moves to the place that the daemon reports, or to the one from `next`. Throws VaultError. */
  send(step: string, body: unknown, next?: (state: FlowState) => HostedPlaceName): Promise<void>;
  readonly complete: (body: unknown) => Promise<void>;
  /** Whether the error has a screen of its own, which it then shows. */
  readonly failed: (error: VaultError) => boolean;
}
