/** What an action can be about: a row says it, or a whole screen. */
import type { EntityKind, Environment } from '../../contract/facts/entities.ts';
import type { ValueKind } from '../../contract/facts/vault.ts';

/** What an action can be about. */
export type Subject =
  | { readonly kind: EntityKind; readonly fp_id: string }
  | {
      readonly kind: 'field';
      readonly fp_id: string;
      readonly owner: EntityKind;
      readonly identifier: string;
      readonly type: ValueKind;
      /** When a line stands for several fields, as a name does: what it is called, and all of them; `identifier` is the first. */
      readonly parts?: { readonly of: string; readonly identifiers: readonly string[] };
    }
  /** Two to be compared. */
  | { readonly kind: 'pair'; readonly fp_id: string; readonly owner: EntityKind; readonly other: string }
  /** A risk signal that a person decides on. */
  | {
      readonly kind: 'hit';
      readonly fp_id: string;
      readonly owner: EntityKind;
      readonly onboarding_id: string;
      readonly reason_code: string;
      /** Name, likeness and list. */
      readonly found: string;
    }
  /** What was written at an entity. */
  | {
      readonly kind: 'note' | 'tag';
      readonly fp_id: string;
      readonly owner: EntityKind;
      readonly id: string;
      readonly text: string;
    }
  | { readonly kind: 'event'; readonly event_id: string; readonly webhook_id?: string | undefined }
  /** What the instance is set up with; `details` says what a question has to name of it. */
  | {
      readonly kind: 'thing';
      readonly what: ThingKind;
      readonly id: string;
      readonly name: string;
      readonly details: string;
      readonly isEnabled: boolean;
    }
  /** The instance as a whole, or its environment: what is new there is about it. */
  | { readonly kind: 'instance'; readonly instance: string; readonly environment: Environment };

export type ThingKind = 'fault' | 'snapshot' | 'webhook' | 'outcome' | 'key';

/** The fields that a row stands for: one, or those of its line. */
export function identifiersOf(subject: Extract<Subject, { kind: 'field' }>): readonly string[] {
  return subject.parts?.identifiers ?? [subject.identifier];
}
