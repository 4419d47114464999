/** What is open over a screen: help, a line that is typed, a form, a question, and what became of an action. */
import type { Subject } from './subject.ts';

export interface Choice {
  readonly value: string;
  readonly label: string;
}

export interface FieldDefinition {
  readonly name: string;
  readonly label: string;
  /** A text to be typed, one of some, or one of what the daemon has (loaded by the action). */
  readonly kind: 'text' | 'choice' | 'loaded';
  readonly choices?: readonly Choice[] | undefined;
  readonly isRequired: boolean;
  /** What stands there at first; of a choice, its value. */
  readonly initial?: string | undefined;
  readonly hint?: string | undefined;
  /** What a caller says: once given it isn't shown again, and is typed anew by who goes back to it. */
  readonly isSaid?: true;
}

/** In the place of what a caller has said. */
export const SAID_BEFORE = '(typed, not shown again)';

export type ActionName =
  | 'reveal'
  | 'save'
  | 'browse'
  | 'verify'
  | 'compare'
  | 'resend'
  | 'trigger'
  | 'onboard'
  | 'decide'
  | 'review'
  | 'note'
  | 'remove'
  | 'label'
  | 'tag'
  | 'clock_advance'
  | 'clock_freeze'
  | 'clock_resume'
  | 'fault_create'
  | 'fault_delete'
  | 'snapshot_create'
  | 'snapshot_load'
  | 'snapshot_delete'
  | 'webhook_create'
  | 'webhook_switch'
  | 'webhook_test'
  | 'webhook_delete'
  | 'outcome_create'
  | 'outcome_delete'
  | 'key_create'
  | 'key_roll'
  | 'key_delete';

/** A row that was marked, for an action on many. */
export interface Marked {
  readonly key: string;
  readonly subject: Subject;
  readonly who?: string | undefined;
}

/** How it went with one of many. */
export interface Result {
  readonly key: string;
  readonly text: string;
  readonly isDone: boolean;
}

/** A line of text with a cursor in it. */
export interface TextLine {
  readonly text: string;
  readonly cursor: number;
}

export type Overlay =
  | { readonly kind: 'help'; readonly top: number }
  /** The selected row in full: what of it is cut in the list can be read here. */
  | { readonly kind: 'row'; readonly top: number }
  /** `isHere`: only what can be done with the row, the marked ones or the list. */
  | {
      readonly kind: 'palette';
      readonly line: TextLine;
      readonly selected: number;
      readonly isHere?: true | undefined;
    }
  | { readonly kind: 'filter'; readonly line: TextLine; readonly before: string }
  | Form
  | Question
  /** How an action on many went, row by row. */
  | {
      readonly kind: 'results';
      readonly top: number;
      readonly title: string;
      readonly results: readonly Result[];
    }
  /** A credential that the daemon says this once. It stays until it is closed. */
  | {
      readonly kind: 'secret';
      readonly title: string;
      readonly secret: string;
      readonly lines: readonly string[];
    };

/** Asks for the values of an action, one field after another. */
export interface Form {
  readonly kind: 'form';
  readonly action: ActionName;
  readonly subject: Subject;
  /** The masked name of whom it is about, where a row that is loaded has it. */
  readonly who?: string | undefined;
  /** All it is about, where it is about many; the first of them is `subject`. */
  readonly marked?: readonly Marked[] | undefined;
  readonly fields: readonly FieldDefinition[];
  /** The field that is asked for now. */
  readonly at: number;
  readonly values: Readonly<Record<string, string>>;
  readonly line: TextLine;
  /** The place of the selected choice. */
  readonly selected: number;
  readonly problem?: string | undefined;
}

/** Asks whether something is to be done. */
export interface Question {
  readonly kind: 'confirm';
  readonly action: ActionName;
  readonly subject: Subject;
  readonly who?: string | undefined;
  readonly marked?: readonly Marked[] | undefined;
  readonly values: Readonly<Record<string, string>>;
  /** The first line that is drawn. */
  readonly top: number;
  /** What will happen. */
  readonly lines: readonly string[];
  /** Where the values were typed; opened again when the action fails. */
  readonly form: Form | undefined;
}
