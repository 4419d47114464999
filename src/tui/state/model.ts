/**
 * What the inspector knows and shows: plain data, made new with each change (update.ts) and drawn by the components.
 * Nothing in it is a decrypted value but `revealed`, which goes when its time is over or the view is left.
 */
import type { EntityKind } from '../../contract/facts/entities.ts';
import type { Environment } from '../../contract/facts/entities.ts';
import type { StreamType } from '../../contract/facts/stream.ts';
import type { ActionName, Choice, Form, Marked, Overlay, Result } from './overlay.ts';
import type { Subject } from './subject.ts';

export type * from './overlay.ts';
export type * from './subject.ts';

/** What makes lists load again: a message of the stream, or a request that has only read. */
export type Happening = StreamType | 'read';

export type Tone = 'plain' | 'dim' | 'good' | 'warn' | 'bad' | 'accent' | 'secret';

/** Text as it came; it is made printable where it is drawn. */
export interface Cell {
  readonly text: string;
  readonly tone: Tone;
}

export type ScreenName =
  | 'users'
  | 'businesses'
  | 'found'
  | 'reviews'
  | 'entity'
  | 'banks'
  | 'bank'
  | 'events'
  | 'event'
  | 'deliveries'
  | 'delivery'
  | 'requests'
  | 'request'
  | 'proxy'
  | 'clock'
  | 'snapshots'
  | 'webhooks'
  | 'outcomes'
  | 'playbooks'
  | 'keys'
  | 'comparison'
  | 'run';

/** A place to go to. */
export interface ScreenPlace {
  readonly screen: ScreenName;
  /** Which one, of screens that are about one thing: `fp_id`, `link_id`, `request_id` and so on. */
  readonly params: Readonly<Record<string, string>>;
}

export type { EntityKind };

/** A request that answers the same; credentials are never part of it. */
export interface CallText {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body?: unknown;
}

export interface Row {
  /** Identifies it among the rows of its pane, also after they were loaded again. */
  readonly key: string;
  readonly cells: readonly (string | Cell)[];
  /** What `y` copies. */
  readonly id?: string | undefined;
  /** What `Y` copies, word by word: `['users', 'get', 'fp_id_…']`, without `kyclone`. */
  readonly command?: readonly string[] | undefined;
  /** What `c` copies, as curl. */
  readonly call?: CallText | undefined;
  /** Where enter leads to. */
  readonly opens?: ScreenPlace | undefined;
  /** Or to which pane of the same screen, by its title. */
  readonly opensPane?: string | undefined;
  readonly subject?: Subject | undefined;
  /** The masked name of whom it is about. */
  readonly who?: string | undefined;
  /** The daemon's record that it shows, for who reads screens as data; a row that only goes on with another has none. */
  readonly data?: unknown;
}

export interface Column {
  readonly heading: string;
  /** Takes what room is left; one of each pane. */
  readonly grows?: boolean;
  /** How many cells it needs before another is left out for it; others are cut to as many first. */
  readonly atLeast?: number;
  readonly align?: 'right';
  /** An id: cut at its beginning, for ids of a kind begin alike. */
  readonly isId?: boolean;
  /** Not there where nothing stands in it, however wide the window is. */
  readonly hidesEmpty?: boolean;
  /**
   * Left out where the window is too narrow for all, the highest first, and before any other while nothing stands in it.
   * When, in which state, who and where have none.
   */
  readonly drop?: number;
}

export interface Sort {
  readonly column: number;
  readonly descending: boolean;
}

/** A page of rows, as a pane's `load` returns it. */
export interface Page {
  readonly rows: readonly Row[];
  /** The cursor of the page after this one. */
  readonly next: string | null;
  /** How many there are altogether, where the daemon says so. */
  readonly total?: number | undefined;
  /** A line above the table, such as a sparkline. */
  readonly banner?: string | undefined;
  /** What the daemon has of the one thing that a pane is about; else each row has its own. */
  readonly record?: unknown;
}

export interface PaneState {
  readonly rows: readonly Row[];
  readonly next: string | null;
  readonly total: number | undefined;
  readonly banner: string | undefined;
  readonly loading: 'first' | 'more' | undefined;
  /** It was loaded once, so that what is known of it stays while it is loaded again. */
  readonly isKnown: boolean;
  /** Counts loads from the start, so that a late answer is distinguished from the right one. */
  readonly generation: number;
  readonly problem: string | undefined;
  /** Something has changed that isn't drawn yet: it was further up than where the user reads. */
  readonly isStale: boolean;
  /** The place among the rows that are shown. */
  readonly selected: number;
  /** The first row that is drawn. */
  readonly top: number;
  readonly filter: string;
  readonly sort: Sort | undefined;
  /** The keys of the rows that are marked. */
  readonly marked: ReadonlySet<string>;
  /** Keeps to the newest row as more come. */
  readonly follows: boolean;
}

export interface ViewState {
  /** Never given twice, so that an answer finds its view or none. */
  readonly id: number;
  readonly place: ScreenPlace;
  /** It was gone to by name: the way that the header shows begins here. */
  readonly isStart: boolean;
  /** The pane that is shown. */
  readonly pane: number;
  /** The pane that a row of it was opened from, to go back to. */
  readonly openedFrom?: number | undefined;
  readonly panes: readonly PaneState[];
}

/** One decrypted value on the screen, or those of several fields. */
export interface Revealed {
  readonly subject: Subject;
  /** The rows of several fields, whose first is `subject`. */
  readonly marked?: readonly Marked[] | undefined;
  readonly title: string;
  /** Each begins a line; that of several says its field first. */
  readonly values: readonly string[];
  /** The first line that is drawn. */
  readonly top: number;
  /** Milliseconds of a clock that only goes forward. */
  readonly hidesAt: number;
}

/** Whether what a caller said of a field is what is stored. */
export interface VerifiedField extends Notice {
  readonly identifier: string;
}

/** What the caller of one entity said, field by field, the newest first. It stays until it is cleared or another entity is opened. */
export interface Verified {
  readonly fp_id: string;
  readonly fields: readonly VerifiedField[];
}

export type Connection =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** It is tried again by itself. */
  | { readonly kind: 'lost'; readonly why: string }
  /** It answers, and is of another version than this. */
  | { readonly kind: 'other_version'; readonly daemon: string; readonly own: string };

export interface Notice {
  readonly text: string;
  readonly tone: Tone;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Another daemon or environment to look at. */
export interface Target {
  /** Undefined: the present one. */
  readonly instance?: string | undefined;
  readonly environment: Environment;
}

/** What doesn't change while it runs, but for the instance and the environment. */
export interface Setup {
  readonly instance: string;
  /** `instance` is an address, which no flag takes: the environment named the daemon. */
  readonly isByAddress?: boolean;
  readonly environment: Environment;
  readonly isReadonly: boolean;
  /** Who is at the keyboard, where the command line or the environment says so. */
  readonly operator?: string | undefined;
  /** Changes are said in lines, so a window can't be too small for them. */
  readonly isLinear?: boolean;
  /** This terminal shows no images, so none is decrypted to be shown. */
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
  /** Where the user came from, and last where they are. Never empty. */
  readonly views: readonly ViewState[];
  /** What was gone back from, the nearest first. */
  readonly ahead: readonly ViewState[];
  readonly nextView: number;
  readonly overlay: Overlay | undefined;
  readonly revealed: Revealed | undefined;
  readonly verified: Verified | undefined;
  readonly notice: Notice | undefined;
  readonly connection: Connection;
  /** Who is at the keyboard; asked for by the first action that leaves a trace. */
  readonly operator: string | undefined;
  /** An action that is on its way. */
  readonly busy: string | undefined;
  /** Milliseconds of the same clock as `hidesAt`, from the last message that carried them. */
  readonly now: number;
  readonly isLeaving: boolean;
}

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
  | { readonly type: 'verified'; readonly fp_id: string; readonly field: VerifiedField }
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
