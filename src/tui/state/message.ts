/** What reaches the reducer, and what it asks to be done outside. */
import type { ActionName, Choice, Form, Marked, Result } from './overlay.ts';
import type {
  Connection,
  Happening,
  Notice,
  Page,
  Revealed,
  ScreenPlace,
  Setup,
  Size,
  State,
  Target,
} from './model.ts';
import type { Subject } from './subject.ts';

/** Messages from outside of the reducer. */
export type Message =
  | { readonly type: 'key'; readonly key: string; readonly now: number }
  /** A click of the first button; line and column from 0, from the top left of the window. */
  | { readonly type: 'click'; readonly line: number; readonly column: number; readonly now: number }
  | { readonly type: 'resized'; readonly size: Size }
  | {
      readonly type: 'page';
      readonly view: number;
      readonly pane: number;
      readonly generation: number;
      readonly isFirst: boolean;
      readonly page: Page;
    }
  | {
      readonly type: 'load_failed';
      readonly view: number;
      readonly pane: number;
      readonly generation: number;
      readonly problem: string;
      /** The daemon has nothing of the kind any more. */
      readonly isGone?: boolean;
    }
  /** Things happened; sent at most every two and a half seconds. */
  | { readonly type: 'happened'; readonly types: ReadonlySet<Happening> }
  | { readonly type: 'connection'; readonly connection: Connection; readonly isNewDaemon?: boolean }
  | {
      readonly type: 'choices';
      readonly action: ActionName;
      readonly subject: Subject;
      readonly field: string;
      readonly choices: readonly Choice[];
    }
  | { readonly type: 'revealed'; readonly revealed: Revealed; readonly now: number }
  | { readonly type: 'copied'; readonly notice: Notice }
  /** An action leads to a place. */
  | { readonly type: 'opened'; readonly place: ScreenPlace }
  | { readonly type: 'done'; readonly notice: Notice; readonly changes: boolean }
  /** An action on many goes on. */
  | { readonly type: 'progress'; readonly text: string }
  | {
      readonly type: 'done_many';
      readonly view: number;
      readonly pane: number;
      readonly title: string;
      readonly results: readonly Result[];
    }
  /** A credential was made. */
  | {
      readonly type: 'secret';
      readonly title: string;
      readonly secret: string;
      readonly lines: readonly string[];
    }
  /** Another instance or environment is looked at from now on. */
  | { readonly type: 'switched'; readonly setup: Pick<Setup, 'instance' | 'isByAddress' | 'environment'> }
  /** An action failed; the form that asked for its values opens again with them. */
  | { readonly type: 'failed'; readonly problem: string; readonly form: Form | undefined }
  | { readonly type: 'tick'; readonly now: number };

/** What is to be done outside; the answers come as messages. */
export type Effect =
  | {
      readonly type: 'load';
      readonly view: number;
      readonly pane: number;
      readonly generation: number;
      readonly place: ScreenPlace;
      readonly cursor: string | undefined;
      readonly filter: string;
      /** How many rows to ask for. */
      readonly size: number;
    }
  /** `what`: its first line, for the notice. */
  | { readonly type: 'copy'; readonly text: string; readonly what: string }
  | {
      readonly type: 'load_choices';
      readonly action: ActionName;
      readonly subject: Subject;
      readonly field: string;
    }
  | {
      readonly type: 'perform';
      readonly operator: string | undefined;
      readonly action: ActionName;
      readonly subject: Subject;
      readonly marked?: readonly Marked[] | undefined;
      /** Where the marked rows are. */
      readonly view: number;
      readonly pane: number;
      readonly values: Readonly<Record<string, string>>;
      readonly form: Form | undefined;
    }
  | { readonly type: 'switch'; readonly target: Target }
  /** Ticks once a second until nothing is revealed any more. */
  | { readonly type: 'count_down' }
  | { readonly type: 'reconnect' }
  /** Gives the terminal back until the shell continues this process. */
  | { readonly type: 'suspend' }
  | { readonly type: 'leave' };

export interface Step {
  readonly state: State;
  readonly effects: readonly Effect[];
}
