/** One screen: its title and panes. Two or three stand side by side where there is room. */
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { maskedSearch } from '../nouns/search/facts.ts';
import { printable } from '../kernel/text/terminal-text.ts';
import { actions as definitions } from '../tui/actions/registry.ts';
import { placeOf } from '../nouns/entities/screen/place.ts';
import { screens } from '../tui/screens/registry.ts';
import { PROXY_PANE } from '../nouns/requests/screen.ts';
import type { Pointed, State, ViewState } from '../tui/state/model.ts';
import { actionsHere } from '../tui/state/acting.ts';
import { hasHeadings } from '../tui/state/geometry.ts';
import { EMPTY_PANE } from '../tui/state/panes.ts';
import { currentList, isGone, selectedRow, wayHere } from '../tui/state/reading.ts';
import { isSearching } from '../tui/state/searching.ts';
import { tabName } from '../tui/state/tabs.ts';
import { WholeRow } from './dialogs.tsx';
import { firstKeyOf } from '../tui/state/key-map.ts';
import { PaneView, hasPreview, Preview } from './pane.tsx';
import { OverTime } from './rows-drawn.tsx';
import { hashOf, listOf } from './routes.ts';
import type { PageRuntime } from './runtime.ts';
import { isTimeline } from './widgets/timeline.tsx';
import { useWidth } from './window.ts';
import { Button } from './dialog.tsx';

interface ScreenProps {
  readonly page: PageRuntime;
  readonly state: State;
}

/** From these widths on there are two panes, and three. */
const TWO_PX = 1280;
const THREE_PX = 1800;
/** Two people beside what they have in common. */
const COMPARED_PX = 1000;
const NARROW_PX = 700;

export function ScreenView({ page, state }: ScreenProps): ReactNode {
  const { act, press } = page;
  const width = useWidth();
  const { view, screen, definition: current, pane } = currentList(state);
  const beside = besidePanes(view, width);
  const row = selectedRow(state);
  // A fact and its row are the same.
  const hasRow =
    width >= TWO_PX &&
    view.place.screen !== 'comparison' &&
    (beside.length === 0 || (row !== undefined && hasHeadings(current)));
  const opensAtOnce = width < NARROW_PX || matchMedia('(pointer: coarse)').matches;
  const tabs = useId();
  const [drawn, setDrawn] = useState(false);
  const draw = (at: number) => {
    const definition = screen.panes[at];
    return (
      definition !== undefined && (
        <PaneView
          key={`${view.id} ${at}`}
          definition={definition}
          pane={view.panes[at] ?? EMPTY_PANE}
          at={at}
          screen={view.place.screen}
          isCurrent={at === view.pane}
          isOutdated={at === view.pane && isSearching(state)}
          act={act}
          opensAtOnce={opensAtOnce}
          isDrawn={isTimeline(definition) && (at !== view.pane || drawn)}
        />
      )
    );
  };
  if (isGone(view)) {
    const list = listOf(view.place);
    return (
      <>
        <Way state={state} />
        <div className="gone">
          <p role="alert">{printable(view.panes[0]?.problem)}</p>
          <a href={hashOf({ place: list })}>{`To the list: ${screens[list.screen].title(list.params)}`}</a>
        </div>
      </>
    );
  }
  return (
    <>
      <Way state={state} />
      {screen.panes.length > 1 && <Tabs id={tabs} view={view} act={act} />}
      <Tools page={page} state={state} />
      <div className="panes">
        <section
          className="pane is-current"
          aria-label={current.title}
          {...(screen.panes.length > 1 && { id: `${tabs}-panel`, role: 'tabpanel' })}
        >
          <Banner text={pane.banner} />
          <OverTime definition={current} pane={pane} />
          {isTimeline(current) && (
            <div className="switch">
              <Button aria-pressed={drawn} onClick={() => setDrawn(!drawn)}>
                {drawn ? 'As a list' : 'Drawn'}
              </Button>
            </div>
          )}
          {draw(view.pane)}
        </section>
        <div className="beside">
          {beside.map((at) => (
            <section key={at} className="pane" aria-label={screen.panes[at]?.title}>
              <h2>
                {screen.panes[at]?.title}
                <Button className="quiet" onClick={() => act({ kind: 'pane', pane: at })}>
                  Go there
                </Button>
              </h2>
              <Banner text={view.panes[at]?.banner} />
              {draw(at)}
            </section>
          ))}
          {compared(view, width).map((fpId) => (
            <section key={fpId} className="pane" aria-label={fpId}>
              <h2>
                <a href={hashOf({ place: placeOf(fpId) })}>{fpId}</a>
              </h2>
              <div className="row-text" tabIndex={0} role="region" aria-label={`Overview of ${fpId}`}>
                <Preview page={page} place={placeOf(fpId)} only="Overview" version={0} />
              </div>
            </section>
          ))}
          {hasRow && (
            <aside className="pane is-row" aria-label="The selected row">
              <h2>
                {row === undefined ? 'No row' : 'Selected'}
                <Button className="quiet" onClick={() => press('i')}>
                  Read <kbd>i</kbd>
                </Button>
              </h2>
              <div className="row-text" tabIndex={0} role="region" aria-label="The selected row in full">
                {isSearching(state) ? null : hasPreview(row) ? (
                  <Preview
                    page={page}
                    place={row.opens}
                    first={row.opensPane ?? firstOf(view)}
                    version={pane.generation}
                  />
                ) : (
                  <WholeRow state={state} />
                )}
              </div>
            </aside>
          )}
        </div>
      </div>
    </>
  );
}

/** The pane that the definition names; else the first beside the others, and beside the first one that has something. */
function besidePanes({ place, pane, panes: loaded }: ViewState, width: number): readonly number[] {
  const { panes } = screens[place.screen];
  if (width < TWO_PX) return [];
  const current = panes[pane];
  const named = panes.findIndex(({ title }) => title === (current?.besideInPage ?? current?.beside));
  const isFilled = (at: number) => (loaded[at]?.rows.length ?? 0) > 0;
  const candidates = [named, ...(pane === 0 ? [...panes.keys()].filter(isFilled) : [0])];
  const apt = [...new Set(candidates)].filter((at) => at >= 0 && at !== pane);
  return apt.slice(0, width >= THREE_PX ? 2 : 1);
}

/** Two people beside their comparison. */
function compared({ place: { screen, params } }: ViewState, width: number): readonly string[] {
  const { fp_id, other } = params;
  if (screen !== 'comparison' || width < COMPARED_PX || fp_id === undefined || other === undefined) return [];
  return [fp_id, other];
}

/** A call through the proxy is explained first. */
function firstOf({ place }: ViewState): string | undefined {
  return place.screen === 'proxy' ? PROXY_PANE : undefined;
}

/** The titles on the way here; those before the last lead back. */
function Way({ state }: { readonly state: State }): ReactNode {
  const way = wayHere(state);
  return (
    <div className="way">
      {way.slice(0, -1).map(({ id, place, title }) => (
        <a key={id} href={hashOf({ place })}>
          {printable(title)}
        </a>
      ))}
      <h1>
        {printable(way.at(-1)?.title ?? '')}
        {isSearching(state) && <span className="dim"> · searching …</span>}
      </h1>
    </div>
  );
}

interface TabsProps {
  readonly id: string;
  readonly view: ViewState;
  readonly act: (act: Pointed) => void;
}

function Tabs({ id, view, act }: TabsProps): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  const { panes } = screens[view.place.screen];
  const names = panes.map((definition, at) => tabName(definition, view.panes[at]));
  const width = useWidth();
  // The counts widen the tabs.
  const length = names.join('').length;
  useEffect(() => {
    list.current
      ?.querySelector('[aria-selected=true]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [view.id, view.pane, width, length]);
  const go = (at: number) => {
    const next = (at + panes.length) % panes.length;
    act({ kind: 'pane', pane: next });
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  };
  return (
    <div
      ref={list}
      role="tablist"
      className="tabs"
      aria-label="Panes"
      onKeyDown={({ key, ...event }) => {
        const to = { ArrowRight: view.pane + 1, ArrowLeft: view.pane - 1, Home: 0, End: panes.length - 1 }[
          key
        ];
        if (to === undefined) return;
        event.preventDefault();
        go(to);
      }}
    >
      {panes.map((definition, at) => (
        <Button
          key={definition.title}
          role="tab"
          aria-selected={at === view.pane}
          aria-controls={at === view.pane ? `${id}-panel` : undefined}
          tabIndex={at === view.pane ? 0 : -1}
          onClick={() => go(at)}
        >
          {names[at]}
        </Button>
      ))}
    </div>
  );
}

/** The filter of the list, and what can be done here. */
function Tools({ page, state }: ScreenProps): ReactNode {
  const { act, press } = page;
  const actions = actionsHere(state);
  const { view, pane } = currentList(state);
  const row = selectedRow(state);
  return (
    <div className="tools">
      <Filter key={`${view.id} ${view.pane}`} page={page} state={state} />
      {view.place.screen === 'entity' && wayHere(state).some(({ place }) => place.screen === 'reviews') && (
        <Button onClick={() => press('n')}>
          Next case <kbd>n</kbd>
        </Button>
      )}
      {pane.isStale && pane.loading === undefined && (
        <Button onClick={() => press('R')}>
          Changed: load again <kbd>R</kbd>
        </Button>
      )}
      <div className="actions">
        {actions.map((name) => (
          <Button key={name} onClick={() => act({ kind: 'begin', action: name })}>
            {definitions[name].label}
            <Hint command={name} />
          </Button>
        ))}
      </div>
      {row?.copies !== undefined && (
        <Button onClick={() => press('y')}>
          {`Copy ${row.copies}`} <kbd>y</kbd>
        </Button>
      )}
      {actions.length > 0 && (
        <Button className="actions-menu" onClick={() => press('a')}>
          Actions <kbd>a</kbd>
        </Button>
      )}
    </div>
  );
}

function Hint({ command }: { readonly command: string }): ReactNode {
  const key = firstKeyOf(command);
  return key === undefined ? null : <kbd>{key}</kbd>;
}

/** The line of `/`: a list of the daemon is searched with enter, any other is filtered while the user types. */
function Filter({ page: { runtime, act, press }, state }: ScreenProps): ReactNode {
  const { overlay } = state;
  const { definition, pane } = currentList(state);
  const isOpen = overlay?.kind === 'filter';
  const isDaemons = definition.filteredBy === 'daemon';
  const text = isOpen ? overlay.line.text : maskedSearch(pane.filter);
  return (
    <search className="filter">
      <input
        type="search"
        aria-label={isDaemons ? `Search in ${definition.title}` : `Filter ${definition.title}`}
        placeholder={isDaemons ? `Search: ${definition.finds ?? 'words'}  /` : 'Filter  /'}
        title={definition.finds}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onFocus={(event) => {
          if (!isOpen) press('/');
          // Another search takes the place of the last.
          event.currentTarget.select();
        }}
        onChange={(event) => act({ kind: 'type', text: event.target.value })}
        onBlur={() => {
          // What was entered is no longer open by now.
          const isStillOpen = runtime.getState().overlay?.kind === 'filter';
          if (isStillOpen) press(isDaemons ? 'escape' : 'enter');
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
          event.preventDefault();
          press(event.key === 'Enter' ? 'enter' : 'escape');
          event.currentTarget.blur();
          document.querySelector<HTMLElement>('main .is-current [role=grid]')?.focus();
        }}
      />
    </search>
  );
}

function Banner({ text }: { readonly text: string | undefined }): ReactNode {
  return text === undefined ? null : <p className="banner">{printable(text)}</p>;
}
