/** The whole page: where we are, the panes side by side, what is open over them, and what to press. */
import { useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from 'react';
import { screens } from '../tui/screens/registry.ts';
import type { Image } from '../tui/data/images.ts';
import type { Pointed, State, ViewState, Revealed } from '../tui/state/model.ts';
import { currentView, isGone } from '../tui/state/reading.ts';
import { secondsLeft } from '../tui/state/revealed-text.ts';
import { shownVerified } from '../tui/state/verified.ts';
import { noticeIn, positionText } from '../tui/state/foot.ts';
import { noticeOfCopy } from '../tui/state/copying.ts';
import { clearSecret, copySecret, isMasked } from './clipboard.ts';
import { Dialogs } from './dialogs.tsx';
import { Header, Screens } from './frame.tsx';
import { isPaletteChord, keyOf } from './keys.ts';
import { openPage, sizeOfWindow, type PageRuntime } from './runtime.ts';
import { BUILDER, hashOf, isBuilder, routeOf, type Route } from './routes.ts';
import { ScreenView } from './screen.tsx';
import type { KeptDrafts } from './widgets/request-draft.ts';
import { Builder, type SentRequest } from './widgets/request-builder.tsx';
import { listen, useHash } from './window.ts';
import { codeIn, endSession, type SessionOfPage } from './session.ts';
import { printable } from '../kernel/text/terminal-text.ts';
import { Button } from './dialog.tsx';

const LOST =
  'The daemon does not answer, so what is shown may be old. This page tries again by itself. If the daemon was stopped: kyclone start -d, then kyclone console.';

/** The requests of the builder that are kept, newest first. */
const MOST_SENT = 50;

interface ConsoleProps {
  readonly session: SessionOfPage;
  /** What is filled in in the request builder; it outlives this session. */
  readonly drafts: KeptDrafts;
  readonly onEnd: () => void;
}

export function Console({ session, drafts, onEnd }: ConsoleProps): ReactNode {
  const [page] = useState(() => openPage(session, onEnd));
  const { runtime, act, press } = page;
  const state = useSyncExternalStore(runtime.subscribe, runtime.getState);
  const hash = useHash();
  const hasBuilder = isBuilder(hash);
  // It keeps what is filled in while other places are looked at.
  const [builder, setBuilder] = useState<string>();
  const hasOther = hasBuilder && (builder === undefined || hash !== BUILDER) && builder !== hash;
  if (hasOther) setBuilder(hash);
  const [sent, setSent] = useState<readonly SentRequest[]>([]);
  /** What is chosen in a dialog is about the screen, which the builder may stand in front of. */
  const inDialog = (step: () => void, isEscape = false) => {
    const before = runtime.getState().overlay;
    if (before === undefined) return;
    step();
    const after = runtime.getState().overlay?.kind;
    const hasChosen = before.kind === 'palette' && after !== 'palette' && after !== 'help' && !isEscape;
    if (hasChosen && isBuilder(hash) && location.hash === hash) goBackTo(currentView(runtime.getState()));
  };

  useEffect(() => {
    page.follow();
    return page.stop;
  }, [page]);
  useGlobalKeys(page);
  useAddress(page, state);
  useHiding(act, state);
  useMaskedCopies(act);
  useEffect(
    () => listen(window, ['resize'], () => runtime.dispatch({ type: 'resized', size: sizeOfWindow() })),
    [runtime],
  );

  const copy = (text: string, what: string) =>
    void copySecret(text).then((how) => act({ kind: 'say', notice: noticeOfCopy(how, what) }));
  const view = currentView(state);
  const { revealed } = state;
  const title = screens[view.place.screen].title(view.place.params);
  // The builder stands in front of the row that is left with it.
  const hasLeft = hasBuilder && revealed !== undefined;
  useEffect(() => {
    if (hasLeft) press('x');
  }, [hasLeft, press]);
  useEffect(() => {
    document.title = `${hasBuilder ? 'Request builder' : title} · kyclone`;
  }, [title, hasBuilder]);

  return (
    <div className="console" data-live={state.setup.environment === 'live' || undefined}>
      <a className="skip" href="#main" onClick={(event) => focusMain(event)}>
        Skip to the list
      </a>
      <Header
        state={state}
        session={session}
        press={press}
        onSignOut={() => {
          drafts.clear();
          void endSession(page.connection().token).then(onEnd, onEnd);
        }}
      />
      <Screens state={state} hasBuilder={hasBuilder} />
      <main id="main" tabIndex={-1}>
        {state.connection.kind === 'lost' && <p className="lost">{LOST}</p>}
        {builder !== undefined && (
          <div className="builder-place" hidden={!hasBuilder}>
            <Builder
              page={page}
              hash={builder}
              drafts={drafts}
              isConnected={state.connection.kind !== 'lost'}
              isShown={hasBuilder}
              sent={sent}
              onSent={(one) => setSent((before) => [one, ...before].slice(0, MOST_SENT))}
            />
          </div>
        )}
        {!hasBuilder && <ScreenView page={page} state={state} />}
        {revealed !== undefined && (
          <RevealedPart
            revealed={revealed}
            now={state.now}
            onHide={() => press('x')}
            onCopy={() => copy(revealed.values.join('\n'), revealed.title)}
          />
        )}
        <Foot state={state} hasBuilder={hasBuilder} />
      </main>
      <Dialogs
        state={state}
        act={(what) => inDialog(() => act(what))}
        press={(key) => inDialog(() => press(key), key === 'escape')}
        copySecret={copy}
      />
    </div>
  );
}

function goBackTo({ place, pane }: ViewState): void {
  location.hash = hashOf({ place, pane });
}

function focusMain(event: { preventDefault(): void }): void {
  event.preventDefault();
  (
    document.querySelector<HTMLElement>('main [role=grid]') ?? document.querySelector<HTMLElement>('main')
  )?.focus();
}

/**
 * What a caller's words came to, what was done, and the place in the list. The builder is no list, so a notice alone
 * stands below it.
 */
function Foot({ state, hasBuilder }: { readonly state: State; readonly hasBuilder: boolean }): ReactNode {
  const isList = !hasBuilder && !isGone(currentView(state));
  const notice = isList ? noticeIn(state) : state.notice;
  return (
    <footer className="foot">
      <div role="status">
        {(hasBuilder ? [] : shownVerified(state)).map(({ text, tone }) => (
          <p key={text} className={`tone-${tone}`}>
            {printable(text)}
          </p>
        ))}
        {notice !== undefined && <p className={`tone-${notice.tone}`}>{printable(notice.text)}</p>}
      </div>
      {isList && <span className="position">{positionText(state)}</span>}
    </footer>
  );
}

function useGlobalKeys({ runtime, press }: PageRuntime): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const isOpen = runtime.getState().overlay !== undefined;
      if (isPaletteChord(event)) {
        event.preventDefault();
        if (!isOpen) press(':');
        return;
      }
      const pressed = isOpen ? undefined : keyOf(event);
      const isForRows = pressed !== ':' && pressed !== '?';
      // The builder has no rows.
      const key = isForRows && isBuilder(location.hash) ? undefined : pressed;
      if (key === undefined) return;
      event.preventDefault();
      if (key === '/') focusFilter();
      else press(key);
    };
    return listen(window, ['keydown'], onKey);
  }, [runtime, press]);
}

function focusFilter(): void {
  document.querySelector<HTMLInputElement>('main .filter input')?.focus();
}

/** The address follows the state, and the state the address. */
function useAddress({ act }: PageRuntime, state: State): void {
  const [addresses] = useState(createHistory);
  const view = currentView(state);
  const depth = state.views.length;
  useEffect(() => {
    const onAddress = () => {
      const route = routeOf(location.hash);
      if (route !== undefined) act({ kind: 'visit', place: route.place, pane: route.pane });
      else if (addresses.correct()) act({ kind: 'say', notice: NOWHERE });
    };
    if (isNowhere()) act({ kind: 'say', notice: NOWHERE });
    return listen(window, ['popstate'], onAddress);
  }, [act, addresses]);
  const { place, pane, id } = view;
  useEffect(() => addresses.write({ place, pane }, { view: id, depth }), [addresses, place, pane, id, depth]);
  const former = useRef(id);
  useEffect(() => {
    // A new screen is read from its list.
    if (former.current !== id && !isTyping())
      document.querySelector<HTMLElement>('main .is-current [role=grid]')?.focus();
    former.current = id;
  }, [id]);
}

function isTyping(): boolean {
  return document.activeElement?.closest('input, select, textarea, dialog, nav') != null;
}

const NOWHERE = { tone: 'warn', text: 'The address leads to no place here' } as const;

/** What was revealed leaves the clipboard and the page together. */
function useHiding(act: (act: Pointed) => void, state: State): void {
  const isRevealed = state.revealed !== undefined || state.overlay?.kind === 'secret';
  useEffect(() => {
    if (!isRevealed) return undefined;
    return () => void clearSecret().then((notice) => notice && act({ kind: 'say', notice }));
  }, [isRevealed, act]);
}

const COPIED_MASKED = {
  tone: 'warn',
  text: 'Copied a masked value: the stars stand for what is hidden',
} as const;

/** A masked value looks like a value once it is pasted elsewhere. */
function useMaskedCopies(act: (act: Pointed) => void): void {
  useEffect(() => {
    const onCopy = () => {
      if (isMasked(String(getSelection() ?? ''))) act({ kind: 'say', notice: COPIED_MASKED });
    };
    return listen(document, ['copy'], onCopy);
  }, [act]);
}

// The addresses that were visited, as the browser keeps them. A pane replaces the address of its screen.

interface Stop {
  readonly view: number;
  /** How many views were open. */
  readonly depth: number;
}

/** The address names no place, and not the builder. */
function isNowhere(): boolean {
  const { hash } = location;
  return hash !== '' && !isBuilder(hash) && codeIn(hash) === undefined && routeOf(hash) === undefined;
}

function createHistory() {
  let last: Stop | undefined;
  let shown = '';
  return {
    /** Puts the shown place where an address leads nowhere; returns whether it did. */
    correct(): boolean {
      if (!isNowhere()) return false;
      history.replaceState(null, '', shown);
      window.dispatchEvent(new Event('hashchange'));
      return true;
    },
    write(route: Route, stop: Stop): void {
      const hash = hashOf(route);
      shown = hash;
      const before = last;
      last = stop;
      if (before === undefined && isBuilder(location.hash)) return;
      // The address may say the same in other words.
      const named = routeOf(location.hash);
      if (named !== undefined && hashOf(named) === hash) return;
      if (before === undefined || before.view === stop.view) history.replaceState(null, '', hash);
      else if (before.depth > stop.depth) history.back();
      else history.pushState(null, '', hash);
      // The browser reports no address that a page sets.
      window.dispatchEvent(new Event('hashchange'));
    },
  };
}

// Decrypted values or an image, for a limited time. They hide themselves, and at once when the user looks elsewhere.

interface RevealedProps {
  readonly revealed: Revealed;
  readonly now: number;
  readonly onHide: () => void;
  readonly onCopy: () => void;
}

function RevealedPart({ revealed, now, onHide, onCopy }: RevealedProps): ReactNode {
  const { title, values, image } = revealed;
  return (
    <section
      className={image === undefined ? 'revealed' : 'revealed is-image'}
      aria-label={image === undefined ? 'Revealed' : 'Revealed image'}
    >
      <header>
        <h2>{printable(title)}</h2>
        <span className="dim">{`hides in ${secondsLeft(revealed, now)} s`}</span>
        {image === undefined && <Button onClick={onCopy}>Copy</Button>}
        <Button onClick={onHide}>
          Hide <kbd>x</kbd>
        </Button>
      </header>
      {image === undefined ? (
        <pre className="tone-secret" tabIndex={0}>
          {values.map((value) => printable(value)).join('\n')}
        </pre>
      ) : (
        <Picture image={image} title={title} />
      )}
    </section>
  );
}

/**
 * Decrypted bytes in the memory of the tab, under an address that is revoked when they are hidden. Nothing is written to
 * a disk or to the browser's cache.
 */
function Picture({ image, title }: { readonly image: Image; readonly title: string }): ReactNode {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const { bytes, contentType } = image;
    const made = URL.createObjectURL(new Blob([bytes as BlobPart], { type: contentType }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [image]);
  return <img src={address} alt={printable(title)} draggable={false} />;
}
