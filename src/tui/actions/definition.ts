/** What can be done, as data: what it is about, what it asks, what it says will happen, and how it is done. */
import type { Source } from '../data/source.ts';
import type { VaultFile } from '../data/vault-files.ts';
import type {
  ActionName,
  Choice,
  FieldDefinition,
  Notice,
  Row,
  ScreenPlace,
  Subject,
  VerifiedField,
} from '../state/model.ts';

export type Values = Readonly<Record<string, string>>;

/** What an action ends with: a value to show for a while, an image for the terminal, or that it is done. */
export type Outcome =
  | {
      readonly kind: 'done';
      readonly notice: Notice;
      /** Whether what is shown may have changed. */ readonly changes: boolean;
    }
  /** A credential that is shown until it is closed; `lines` say what else is to be known of it. */
  | {
      readonly kind: 'secret';
      readonly title: string;
      readonly secret: string;
      readonly lines: readonly string[];
    }
  /** Whether what a caller said of a field is what is stored. */
  | { readonly kind: 'verified'; readonly fp_id: string; readonly field: VerifiedField }
  /** Leads to a place. */
  | { readonly kind: 'open'; readonly place: ScreenPlace }
  /** Each value of several says its field first. */
  | { readonly kind: 'reveal'; readonly title: string; readonly values: readonly string[] }
  /** For the browser to show; it is only read when the browser has come. */
  | { readonly kind: 'browse'; readonly read: () => Promise<VaultFile> }
  /** For the terminal to show; bytes as they were vaulted. */
  | {
      readonly kind: 'image';
      readonly title: string;
      readonly contentType: string;
      readonly bytes: Uint8Array;
    };

export interface ActionDefinition {
  readonly name: ActionName;
  /** In the palette, and above its form. */
  readonly label: string;
  /** What it would be about; undefined where it doesn't apply. `screen` is what the whole screen is about. */
  subject(row: Row | undefined, screen: Subject | undefined): Subject | undefined;
  /** Said when it doesn't apply. */
  readonly needs: string;
  /** It leaves a trace that names who did it. */
  readonly leavesTrace?: true;
  /** It can be done for all rows that are marked: its first line says whom, the others hold for each. */
  readonly forMany?: true;
  /** It is done at once for all rows that are marked, with one outcome; `problem` says why not for these. */
  readonly atOnce?: {
    problem(subjects: readonly Subject[]): string | undefined;
    perform(source: Source, subjects: readonly Subject[], values: Values): Promise<Outcome>;
  };
  fields(subject: Subject): readonly FieldDefinition[];
  /** The choices of a field of kind `loaded`. */
  choices?(source: Source, subject: Subject, field: string): Promise<readonly Choice[]>;
  /** What is wrong with a value, in words; undefined when nothing is. */
  check?(field: string, value: string): string | undefined;
  /**
   * What will happen, in full sentences; `operator` is among the values of what leaves a trace, and `instance` among all. The user agrees with `y`
   * before anything is sent.
   */
  confirm(subject: Subject, values: Values): readonly string[];
  /** Throws what the client throws. */
  perform(source: Source, subject: Subject, values: Values): Promise<Outcome>;
}
