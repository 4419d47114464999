/** The possible subjects of an action. A row or a whole screen names one. */
import type { EntityKind, Environment } from '../../nouns/entities/facts.ts';
import type { ValueKind } from '../../nouns/vault/facts.ts';

export type Subject =
  | { readonly kind: EntityKind; readonly fp_id: string }
  | {
      readonly kind: 'field';
      readonly fp_id: string;
      readonly owner: EntityKind;
      readonly identifier: string;
      readonly type: ValueKind;
      /**
       * For a line that stands for several fields, such as a name: its label, and all fields; `identifier` is the
       * first.
       */
      readonly parts?: { readonly of: string; readonly identifiers: readonly string[] };
    }
  /** Two entities to compare. */
  | { readonly kind: 'pair'; readonly fp_id: string; readonly owner: EntityKind; readonly other: string }
  /** A risk signal that a person decides on. */
  | {
      readonly kind: 'hit';
      readonly fp_id: string;
      readonly owner: EntityKind;
      readonly onboarding_id: string;
      readonly reason_code: string;
      /** The name, score and list of the hit. */
      readonly found: string;
    }
  /** A note or tag of an entity. */
  | {
      readonly kind: 'note' | 'tag';
      readonly fp_id: string;
      readonly owner: EntityKind;
      readonly id: string;
      readonly text: string;
    }
  /** A user's stake in a business; `row` is the one of them that the row stands for. */
  | { readonly kind: 'stake'; readonly user: string; readonly business: string; readonly row: EntityKind }
  | { readonly kind: 'event'; readonly event_id: string; readonly webhook_id?: string | undefined }
  /** A part of the instance's setup; `details` is the text that a question has to mention. */
  | {
      readonly kind: 'thing';
      readonly what: ThingKind;
      readonly id: string;
      readonly name: string;
      readonly details: string;
      readonly isEnabled: boolean;
    }
  /** The instance as a whole, or its environment: the subject of anything new in it. */
  | { readonly kind: 'instance'; readonly instance: string; readonly environment: Environment };

export type ThingKind = 'fault' | 'snapshot' | 'webhook' | 'outcome' | 'key';

/** The fields that a row stands for: one, or all fields of its line. */
export function identifiersOf(subject: Extract<Subject, { kind: 'field' }>): readonly string[] {
  return subject.parts?.identifiers ?? [subject.identifier];
}
