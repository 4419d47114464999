/** What a screen is: panes that load rows. Nothing of it draws, and nothing of it changes anything. */
import type { Source } from '../data/source.ts';
import type {
  ActionName,
  Column,
  Happening,
  Page,
  ScreenPlace,
  ScreenName,
  Subject,
} from '../state/model.ts';

export interface PageQuery {
  readonly params: Readonly<Record<string, string>>;
  readonly cursor: string | undefined;
  /** Empty where it isn't the daemon that filters. */
  readonly filter: string;
  readonly size: number;
}

export interface PaneDefinition {
  readonly title: string;
  /** One with an empty heading in each column has no line of headings. */
  readonly columns: readonly Column[];
  /** The line for an empty list. */
  readonly empty: string;
  /** The happenings after which it is loaded again. */
  readonly changesWith: readonly Happening[];
  /** Who filters: the daemon by what it can search for, or else we by the text of the rows that are loaded. */
  readonly filteredBy?: 'daemon';
  /** The pane, by its title, that stands beside it in a wide window. */
  readonly beside?: string;
  /** What `+` begins here. */
  readonly creates?: ActionName;
  /** What `-` begins here; elsewhere it is about the tag or note of the row. */
  readonly deletes?: ActionName;
  /** What else can be done here that is about no row. */
  readonly offers?: readonly ActionName[];
  /** Newest first, so that it can be followed. */
  readonly isFeed?: boolean;
  /** Throws what the client throws. */
  load(source: Source, query: PageQuery): Promise<Page>;
}

export interface ScreenDefinition {
  readonly name: ScreenName;
  /** What it is called in the palette; undefined for one that is about one thing and only opened from a row. */
  readonly paletteName?: string;
  /** One line, from what is known without loading. */
  title(params: ScreenPlace['params']): string;
  /** What it is about as a whole. */
  subject?(params: ScreenPlace['params']): Subject | undefined;
  readonly panes: readonly PaneDefinition[];
}
