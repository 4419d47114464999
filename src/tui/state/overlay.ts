/** Overlays over a screen: help, an input line, a form, a question, and the results of an action. */
import type { ScreenPlace } from './place.ts';
import type { Subject } from './subject.ts';

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
  | 'claim'
  | 'note'
  | 'ask'
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

export interface Choice {
  readonly value: string;
  readonly label: string;
}

export interface FieldDefinition {
  readonly name: string;
  readonly label: string;
  /** A typed text, one of fixed choices, or one of the choices that the action loads from the daemon. */
  readonly kind: 'text' | 'choice' | 'loaded';
  readonly choices?: readonly Choice[] | undefined;
  readonly isRequired: boolean;
  /** The problem with a value that was given, in words; undefined if there is none. */
  readonly problem?: (value: string) => string | undefined;
  /** The initial content; for a choice, its value. */
  readonly initial?: string | undefined;
  readonly hint?: string | undefined;
  /** The reason of the action: its choices are suggestions. */
  readonly isReason?: true;
  /** Its choices are on their way. */
  readonly isLoading?: boolean;
  /**
   * A caller's statement: it isn't shown again after it was entered, and must be typed again when the user goes back.
   */
  readonly isShownOnce?: true;
}

/** The hint of a field, where up and down choose. */
export function hintByKeys({ hint, isReason }: FieldDefinition): string | undefined {
  const ways = isReason === true ? 'up and down choose an earlier one' : undefined;
  return [hint, ways].filter((part) => part !== undefined).join('. ') || undefined;
}

/** Shown in place of what a caller said. */
export const TYPED_BEFORE = '(typed, not shown again)';

/** A marked row, for an action on many. */
export interface Marked {
  readonly key: string;
  readonly subject: Subject;
  readonly who?: string | undefined;
}

/** The result for one of many rows. */
export interface Result {
  readonly key: string;
  readonly text: string;
  readonly isDone: boolean;
}

export interface TextLine {
  readonly text: string;
  readonly cursor: number;
  /** The first character that is typed replaces the text; any other key that edits keeps it. */
  readonly isSelected?: true;
}

export type Overlay =
  | { readonly kind: 'help'; readonly top: number }
  /** The selected row in full, including text that is cut in the list. */
  | { readonly kind: 'row'; readonly top: number }
  /** `isHere`: only actions for the row, the marked rows or the list. */
  | {
      readonly kind: 'palette';
      readonly line: TextLine;
      readonly selected: number;
      readonly isHere?: true | undefined;
    }
  | { readonly kind: 'filter'; readonly line: TextLine; readonly before: string }
  /** Asks who searches, before a search that the access log records. */
  | OperatorQuestion
  | Form
  | Question
  /** The results of an action on many rows, row by row. */
  | {
      readonly kind: 'results';
      readonly top: number;
      readonly title: string;
      readonly results: readonly Result[];
    }
  /** A credential that the daemon shows only once. It stays until the user closes it. */
  | ({ readonly kind: 'secret' } & Credential);

export interface Credential {
  readonly title: string;
  readonly secret: string;
  /** Further facts about it. */
  readonly lines: readonly string[];
}

export interface OperatorQuestion {
  readonly kind: 'operator';
  readonly line: TextLine;
  readonly problem?: string | undefined;
  readonly search: string;
  /** What to go back to with escape: the filter that was typed, if it was typed in a list. */
  readonly from?: Extract<Overlay, { kind: 'filter' }> | undefined;
  /** The screen to search in, if it is not the current one. */
  readonly place?: ScreenPlace | undefined;
}

/** An action and what it is about. */
export interface About {
  readonly action: ActionName;
  readonly subject: Subject;
  /** All subjects, if there are several; the first is `subject`. */
  readonly marked?: readonly Marked[] | undefined;
}

/** An action with all values that it needs, and the form that asked for them; it opens again when the action fails. */
export interface Given extends About {
  readonly values: Readonly<Record<string, string>>;
  readonly form: Form | undefined;
}

/** Asks for the values of an action, one field after another. */
export interface Form extends About {
  readonly kind: 'form';
  /** The masked name of the entity, if a loaded row has it. */
  readonly who?: string | undefined;
  readonly fields: readonly FieldDefinition[];
  /** The current field. */
  readonly at: number;
  readonly values: Readonly<Record<string, string>>;
  readonly line: TextLine;
  /** The index of the selected choice. */
  readonly selected: number;
  readonly problem?: string | undefined;
  /** Keys that wait for the choices of the current field. */
  readonly held?: readonly string[] | undefined;
}

/** Asks for confirmation. */
export interface Question extends Given {
  readonly kind: 'confirm';
  readonly who?: string | undefined;
  /** The first line that is drawn. */
  readonly top: number;
  /** Describes what will happen. */
  readonly lines: readonly string[];
}
