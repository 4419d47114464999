/**
 * The state of the inspector: immutable plain data, which update.ts replaces and the components draw. Only `revealed`
 * contains decrypted values; it is removed when its time ends or the user leaves the view.
 */
import type { EntityKind, Environment } from '../../nouns/entities/facts.ts';
import type { Image } from '../data/images.ts';
import type { StreamType } from '../../nouns/control/facts.ts';
import type {
  About,
  ActionName,
  Choice,
  Credential,
  Form,
  Given,
  Marked,
  Overlay,
  Result,
} from './overlay.ts';
import type { ScreenPlace } from './place.ts';
import type { Subject } from './subject.ts';

export type * from './overlay.ts';
export type * from './place.ts';
export type * from './subject.ts';

/** Events that make lists load again: a message of the stream, or a request that only read. */
export type Happening = StreamType | 'read';

export type Tone = 'plain' | 'dim' | 'good' | 'warn' | 'bad' | 'accent' | 'secret';

/** Text as received; it is made printable when it is drawn. */
export interface Cell {
  readonly text: string;
  readonly tone: Tone;
}

export type { EntityKind };

/** A request that returns the same data. It never contains credentials. */
export interface CallText {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body?: unknown;
}

export interface Row {
  /** Identifies the row in its pane, even after a reload. */
  readonly key: string;
  readonly cells: readonly (string | Cell)[];
  /** The text that `y` copies: an id, unless `copies` says otherwise. */
  readonly id?: string | undefined;
  /** In words, what `y` copies in place of an id. */
  readonly copies?: string | undefined;
  /** The command that `Y` copies, as words without `kyclone`: `['users', 'get', 'fp_id_…']`. */
  readonly command?: readonly string[] | undefined;
  /** The request that `c` copies, as curl. */
  readonly call?: CallText | undefined;
  /** The place that enter opens. */
  readonly opens?: ScreenPlace | undefined;
  /** The pane that enter opens there, by its title; without `opens`, of the same screen. */
  readonly opensPane?: string | undefined;
  readonly subject?: Subject | undefined;
  /** The masked name of the entity that the row is about. */
  readonly who?: string | undefined;
  /** The daemon's record behind the row, for readers of the data form. A row that continues another has none. */
  readonly data?: unknown;
}

export interface Column {
  readonly heading: string;
  /** Takes the remaining width; only one column of a pane does. */
  readonly grows?: boolean;
  /** How many cells it needs before another is left out for it; others are cut to as many first. */
  readonly atLeast?: number;
  readonly align?: 'right';
  /** An id, which is cut at its beginning: ids of one kind begin alike. */
  readonly isId?: boolean;
  /** Left out while all its cells are empty, however wide the window is. */
  readonly hidesEmpty?: boolean;
  /**
   * If the window is too narrow, columns with the highest number are left out first, and empty ones before all
   * others. Columns for time, state, who and where have no number.
   */
  readonly drop?: number;
}

export interface Sort {
  readonly column: number;
  readonly descending: boolean;
}

/** A page of rows, as returned by a pane's `load`. */
export interface Page {
  readonly rows: readonly Row[];
  /** The cursor of the next page. */
  readonly next: string | null;
  /** The total number, if the daemon gives it. */
  readonly total?: number | undefined;
  /** A line above the table, such as a sparkline. */
  readonly banner?: string | undefined;
  /** One value over time, such as a balance; a page draws it. */
  readonly history?: History | undefined;
  /** The daemon's record of the single thing that the pane is about. Otherwise each row has its own. */
  readonly record?: unknown;
}

export interface History {
  readonly title: string;
  /** `at`: ISO 8601. */
  readonly points: readonly { readonly at: string; readonly value: number }[];
}

export interface PaneState extends Page {
  readonly loading: 'first' | 'more' | undefined;
  /** The pane was loaded once, so its data stays visible during a reload. */
  readonly isKnown: boolean;
  /** Counts loads from the start of the list, to recognise late responses. */
  readonly generation: number;
  readonly problem: string | undefined;
  /** The daemon has no such thing, or no longer. */
  readonly isGone: boolean;
  /** A change is not shown yet, because it is above the part that the user reads. */
  readonly isStale: boolean;
  /** The index among the visible rows. */
  readonly selected: number;
  /** The first row that is drawn. */
  readonly top: number;
  readonly filter: string;
  readonly sort: Sort | undefined;
  /** The keys of the marked rows. */
  readonly marked: ReadonlySet<string>;
  /** Keeps the newest row selected as more arrive. */
  readonly follows: boolean;
}

export interface ViewState {
  /** Never reused, so that a response finds its own view or none. */
  readonly id: number;
  readonly place: ScreenPlace;
  /** The user went here by name: the path in the header begins here. */
  readonly isStart: boolean;
  readonly pane: number;
  /** The pane to go back to, if a row of it opened this one. */
  readonly openedFrom?: number | undefined;
  readonly panes: readonly PaneState[];
}

/** One decrypted value on the screen, those of several fields, or an image. */
export interface Revealed {
  readonly subject: Subject;
  /** The rows of several fields; `subject` is the first. */
  readonly marked?: readonly Marked[] | undefined;
  readonly title: string;
  /** Each begins a line. With several fields, each begins with its field. */
  readonly values: readonly string[];
  /** In place of values. */
  readonly image?: Image | undefined;
  /** The first line that is drawn. */
  readonly top: number;
  /** Milliseconds of a clock that only goes forward. */
  readonly hidesAt: number;
}

/** Whether what a caller said of a field is what is stored. */
export interface VerifiedField extends Notice {
  readonly identifier: string;
}

/**
 * What the caller of one entity said, field by field. It stays until it is cleared, the next verification, or another
 * entity is opened.
 */
export interface Verified {
  readonly fp_id: string;
  readonly fields: readonly VerifiedField[];
}

export type ConnectionState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** Reconnects automatically. */
  | { readonly kind: 'lost'; readonly why: string }
  /** The daemon responds, but its version differs from this CLI's. */
  | { readonly kind: 'other_version'; readonly daemon: string; readonly own: string };

export interface Notice {
  readonly text: string;
  readonly tone: Tone;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Another daemon or environment to switch to. */
export interface Target {
  /** Undefined means the present one. */
  readonly instance?: string | undefined;
  readonly environment: Environment;
}

/** An entry of the palette that leads to an address. */
export interface Way {
  readonly name: string;
  readonly says: string;
  readonly href: string;
}

/** Settings that stay fixed while the inspector runs, except for the instance, the environment and the tenant. */
export interface Setup {
  readonly instance: string;
  /** `instance` is an address, which no flag takes: an environment variable named the daemon. */
  readonly isByAddress?: boolean;
  readonly environment: Environment;
  /** The tenant whose people are shown, if it isn't `default`. */
  readonly tenant?: string | undefined;
  readonly isReadonly: boolean;
  /** The person at the keyboard, if the command line or the environment names one. */
  readonly operator?: string | undefined;
  /** Changes are reported as lines, so no window is too small. */
  readonly isLinear?: boolean;
  /** Drawn in a page: there is no terminal to leave. */
  readonly isPage?: boolean;
  /** Where a page goes that is no screen. */
  readonly ways?: readonly Way[];
  /** The terminal can't show images, so none is decrypted for display. */
  readonly cannotShowImages?: boolean;
  /** There is no desktop with a browser. */
  readonly cannotBrowse?: boolean;
  /** The instances of this user that can be gone to; none where an address named the daemon. */
  readonly instances?: readonly string[] | undefined;
  readonly start: ScreenPlace;
}

export interface State {
  readonly setup: Setup;
  readonly size: Size;
  /** The views that the user came through; the last is the current one. Never empty. */
  readonly views: readonly ViewState[];
  /** The views that the user went back from, nearest first. */
  readonly ahead: readonly ViewState[];
  readonly nextView: number;
  readonly overlay: Overlay | undefined;
  readonly revealed: Revealed | undefined;
  readonly verified: Verified | undefined;
  readonly notice: Notice | undefined;
  /** Keys that wait for the result of a search. */
  readonly held: readonly string[];
  readonly connection: ConnectionState;
  /** The person at the keyboard. The first action that leaves a record asks for it. */
  readonly operator: string | undefined;
  /** Typed since the inspector started, newest first. */
  readonly reasons: readonly string[];
  /** The action in progress. */
  readonly busy: string | undefined;
  /** Milliseconds of the same clock as `hidesAt`, from the last message with a time. */
  readonly now: number;
  readonly isLeaving: boolean;
}

/** What a page with a pointer does. Panes and rows by their index, rows among those that are shown. */
export type Pointed =
  | { readonly kind: 'row' | 'open' | 'mark'; readonly pane: number; readonly index: number }
  /** `more`: the end of the loaded rows is seen. */
  | { readonly kind: 'pane' | 'more'; readonly pane: number }
  | { readonly kind: 'begin'; readonly action: ActionName }
  | { readonly kind: 'visit'; readonly place: ScreenPlace; readonly pane: number | undefined }
  | { readonly kind: 'sort'; readonly pane: number; readonly sort: Sort | undefined }
  /** `top`: the first row that is seen; `height`: how many are. */
  | { readonly kind: 'scroll'; readonly pane: number; readonly top: number; readonly height: number }
  /** The whole text of the open line. */
  | { readonly kind: 'type'; readonly text: string }
  /** An entry of the palette. */
  | { readonly kind: 'choose'; readonly index: number }
  /** All values of the open form. */
  | { readonly kind: 'fill'; readonly values: Readonly<Record<string, string>> }
  | { readonly kind: 'say'; readonly notice: Notice };

/** What an action came to. */
export type Outcome =
  /** `changes`: whether what is shown may have changed. */
  | { readonly type: 'done'; readonly notice: Notice; readonly changes: boolean }
  | ({ readonly type: 'secret' } & Credential)
  /** Whether what a caller said of fields is what is stored. */
  | ({ readonly type: 'verified' } & Verified)
  | { readonly type: 'opened'; readonly place: ScreenPlace };

/** Which load of which pane. */
interface Load {
  readonly view: number;
  readonly pane: number;
  readonly generation: number;
}

/** Messages from outside the reducer. */
export type Message =
  | { readonly type: 'key'; readonly key: string; readonly now: number }
  /** A click of the first button; line and column count from 0 at the top left of the window. */
  | { readonly type: 'click'; readonly line: number; readonly column: number; readonly now: number }
  | { readonly type: 'pointed'; readonly act: Pointed; readonly now: number }
  | { readonly type: 'resized'; readonly size: Size }
  | ({ readonly type: 'page'; readonly isFirst: boolean; readonly page: Page } & Load)
  /** `isGone`: the daemon no longer has the thing. */
  | ({ readonly type: 'load_failed'; readonly problem: string; readonly isGone?: boolean } & Load)
  /** Something happened; sent at most every two and a half seconds. */
  | { readonly type: 'happened'; readonly types: ReadonlySet<Happening> }
  | { readonly type: 'connection'; readonly connection: ConnectionState; readonly isNewDaemon?: boolean }
  | {
      readonly type: 'choices';
      readonly action: ActionName;
      readonly subject: Subject;
      readonly field: string;
      readonly choices: readonly Choice[];
    }
  | { readonly type: 'revealed'; readonly revealed: Revealed; readonly now: number }
  | Outcome
  | { readonly type: 'copied'; readonly notice: Notice }
  /** Progress of an action on many rows. */
  | { readonly type: 'progress'; readonly text: string }
  | {
      readonly type: 'done_many';
      readonly view: number;
      readonly pane: number;
      readonly title: string;
      readonly results: readonly Result[];
    }
  /** The inspector now shows another instance or environment. */
  | {
      readonly type: 'switched';
      readonly setup: Pick<Setup, 'instance' | 'isByAddress' | 'environment' | 'tenant'>;
    }
  | { readonly type: 'instances'; readonly names: readonly string[] }
  /** An action failed. The form that asked for its values opens again with them. */
  /** `isStale`: others have changed since what the action was prepared on. */
  | {
      readonly type: 'failed';
      readonly problem: string;
      readonly form: Form | undefined;
      readonly isStale?: boolean;
    }
  | { readonly type: 'tick'; readonly now: number };

/** Work to do outside the reducer. The results come as messages. */
export type Effect =
  | ({
      readonly type: 'load';
      readonly place: ScreenPlace;
      readonly cursor: string | undefined;
      readonly filter: string;
      /** The number of rows to request. */
      readonly size: number;
    } & Load)
  /** `what`: the first line of the text, for the notice. */
  | { readonly type: 'copy'; readonly text: string; readonly what: string }
  | ({ readonly type: 'load_choices'; readonly field: string } & About)
  /** `view` and `pane`: the place of the marked rows. */
  | ({
      readonly type: 'perform';
      readonly operator: string | undefined;
      readonly view: number;
      readonly pane: number;
    } & Given)
  | { readonly type: 'switch'; readonly target: Target }
  | { readonly type: 'visit'; readonly href: string }
  /** Which instances there are now; some may have started since. */
  | { readonly type: 'find_instances' }
  /** Ticks once a second until nothing is revealed. */
  | { readonly type: 'count_down' }
  | { readonly type: 'reconnect' }
  /** Gives the terminal back until the shell continues this process. */
  | { readonly type: 'suspend' }
  | { readonly type: 'leave' };

export interface Step {
  readonly state: State;
  readonly effects: readonly Effect[];
}
