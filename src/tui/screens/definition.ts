/** The definition of a screen: panes that load rows. It draws nothing and changes nothing. */
import type { Source } from '../data/source.ts';
import type { ActionName, Column, Happening, Page, ScreenPlace, Subject } from '../state/model.ts';

export interface PageQuery {
  readonly params: Readonly<Record<string, string>>;
  readonly cursor: string | undefined;
  /** Empty if the daemon doesn't filter this pane. */
  readonly filter: string;
  readonly size: number;
}

export interface PaneDefinition {
  readonly title: string;
  /** If every heading is empty, the table has no line of headings. */
  readonly columns: readonly Column[];
  /** The text for an empty list. */
  readonly empty: string;
  /** The happenings that make the pane load again. */
  readonly changesWith: readonly Happening[];
  /** `daemon`: the daemon filters with its search. Otherwise the inspector filters the text of the loaded rows. */
  readonly filteredBy?: 'daemon';
  /** What the search of the daemon takes here, in a few words. */
  readonly finds?: string;
  /** The access log records what is searched for in vaults here. */
  readonly isSearchLogged?: true;
  /** The access log records each load, so what is loaded stays until the user asks for it again. */
  readonly isLoadLogged?: true;
  /** The title of the pane that is shown beside this one in a wide window. */
  readonly beside?: string;
  /** Likewise, in a page alone: a terminal has no room for both. */
  readonly besideInPage?: string;
  /** The action of `+` in this pane. */
  readonly creates?: ActionName;
  /** What `-` begins here; elsewhere it is about the tag or note of the row. */
  readonly deletes?: ActionName;
  /** What else can be done here that is about no row. */
  readonly offers?: readonly ActionName[];
  /** Newest first, so that the user can follow it. */
  readonly isFeed?: boolean;
  /** Throws what the client throws. */
  load(source: Source, query: PageQuery): Promise<Page>;
}

export interface ScreenDefinition {
  /** How the palette calls it, what it shows, and other words that find it. Without it only a row leads to the screen. */
  readonly palette?: { readonly name: string; readonly says: string; readonly words?: string };
  /** One line, from data that needs no loading. */
  title(params: ScreenPlace['params']): string;
  subject?(params: ScreenPlace['params']): Subject | undefined;
  readonly panes: readonly PaneDefinition[];
}
