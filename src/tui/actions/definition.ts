/** An action as data: its subject, its questions, the text that says what will happen, and the code that does it. */
import type { Image } from '../data/images.ts';
import type { Source } from '../data/source.ts';
import type { VaultFile } from '../data/vault-files.ts';
import type { Choice, FieldDefinition, Outcome, Row, Subject } from '../state/model.ts';

export type Values = Readonly<Record<string, string>>;

/** The result of an action: a value to show for a while, an image for the terminal, or a notice that it is done. */
export type ActionOutcome =
  | Outcome
  /** With several values, each begins with its field. */
  | { readonly type: 'reveal'; readonly title: string; readonly values: readonly string[] }
  /** For the browser to show; it is only read when the browser has come. */
  | { readonly type: 'browse'; readonly read: () => Promise<VaultFile> }
  /** For the terminal to show; bytes as they were vaulted. */
  | ({ readonly type: 'image'; readonly title: string } & Image);

/** `About`: what the action is about. */
export interface ActionDefinition<About extends Subject = Subject> {
  /** Shown in the palette and above the form. */
  readonly label: string;
  /** The subject of the action; undefined if it does not apply. `screen` is the subject of the whole screen. */
  subject(row: Row | undefined, screen: Subject | undefined): About | undefined;
  /** The message when the action does not apply. */
  readonly needs: string;
  /** The action leaves a record that names the operator. */
  readonly leavesTrace?: true;
  /**
   * The action works for all marked rows. The first line of its question names each subject; the other lines hold for
   * all.
   */
  readonly forMany?: true;
  /**
   * The action handles all marked rows in one call, with one outcome. `problem` says why these rows can't be handled
   * together.
   */
  readonly atOnce?: {
    problem(subjects: readonly About[]): string | undefined;
    perform(source: Source, subjects: readonly About[], values: Values): Promise<ActionOutcome>;
  };
  /** `all`: the subjects of marked rows, of which `subject` is the first; else the subject alone. */
  fields?(subject: About, all?: readonly About[]): readonly FieldDefinition[];
  /** The choices of a field of kind `loaded`. `subjects`: all of them, if the action is about several. */
  choices?(
    source: Source,
    subject: About,
    field: string,
    subjects: readonly About[],
  ): Promise<readonly Choice[]>;
  /** Whether a field is needed because of the values before it. */
  requires?(field: string, values: Values): boolean;
  /** The choice to begin with because of the values before it. */
  initial?(field: string, values: Values): string | undefined;
  /**
   * Says what will happen, in full sentences. `values` contains `instance`, and `operator` for actions that leave a
   * record. The user confirms with `y` before anything is sent.
   */
  confirm(subject: About, values: Values): readonly string[];
  /** Throws what the client throws. */
  perform(source: Source, subject: About, values: Values): Promise<ActionOutcome>;
}

/** Required, like every field that doesn't say otherwise. */
export function textField(
  name: string,
  label: string,
  hint: string,
  rest: Partial<FieldDefinition> = {},
): FieldDefinition {
  return { name, label, kind: 'text', isRequired: true, hint, ...rest };
}

/** A choice that is a text is shown as it is. */
export function choiceField(
  name: string,
  label: string,
  choices: readonly (string | Choice)[],
  hint?: string,
): FieldDefinition {
  const all = choices.map((each) => (typeof each === 'string' ? { value: each, label: each } : each));
  return { name, label, kind: 'choice', choices: all, isRequired: true, hint };
}

// Choices whose values also carry their words: an id, a space and the name. The question after the form is built from
// the values alone, without the daemon.

export function labelledId(id: string, words: string): string {
  return `${id} ${words}`;
}

export function idOf(value: string): string {
  return value.split(' ', 1)[0] ?? '';
}

export function wordsOf(value: string): string {
  const blank = value.indexOf(' ');
  return blank < 0 ? '' : value.slice(blank + 1);
}
