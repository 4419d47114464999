/** What stands around the panes: the instance and its environment, the way here, and the screens. */
import { useEffect, useState, type ReactNode } from 'react';
import { printable } from '../kernel/text/terminal-text.ts';
import type { ConnectionState, Notice, State } from '../tui/state/model.ts';
import { OF_SCREENS } from '../tui/state/palette.ts';
import { currentView, wayHere } from '../tui/state/reading.ts';
import { BUILDER, hashOf } from './routes.ts';
import type { SessionOfPage } from './session.ts';
import { Button, Popup } from './dialog.tsx';

interface HeaderProps {
  readonly state: State;
  readonly session: SessionOfPage;
  readonly press: (key: string) => void;
  readonly onSignOut: () => void;
}

export function Header({ state, session, press, onSignOut }: HeaderProps): ReactNode {
  const { setup, connection } = state;
  const isLive = setup.environment === 'live';
  const link = LINKS[connection.kind];
  const { theme, toggle } = useTheme();
  return (
    <header className="bar">
      <span className="brand">kyclone</span>
      <span className="instance">{printable(setup.instance)}</span>
      {setup.tenant !== undefined && <span className="badge">tenant {printable(setup.tenant)}</span>}
      <span className={isLive ? 'badge is-live' : 'badge'}>{isLive ? 'live environment' : 'sandbox'}</span>
      {setup.isReadonly && <span className="badge">read only</span>}
      <Button className="find" onClick={() => press(':')}>
        <span>Go to, do, or find …</span>
        <kbd>ctrl K</kbd>
      </Button>
      <span role="status" className={`link tone-${link.tone}`}>
        {link.text}
      </span>
      {connection.kind === 'lost' && <Button onClick={() => press('R')}>Try now</Button>}
      <Menu label={state.operator ?? session.operator ?? 'Session'}>
        <p className="dim">
          {state.operator === undefined ? 'No name is known yet' : `As ${printable(state.operator)}`}
          {`, until ${session.expires_at.slice(11, 16)} UTC`}
        </p>
        <Button onClick={toggle}>{theme === 'dark' ? 'Light colours' : 'Dark colours'}</Button>
        <Button onClick={() => press('?')}>Keys</Button>
        <Button onClick={onSignOut}>Sign out</Button>
      </Menu>
    </header>
  );
}

function Menu({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactNode {
  return (
    <Popup
      className="menu"
      onClick={({ target, currentTarget }) => {
        if ((target as Element).closest('.menu-items button') !== null) currentTarget.open = false;
      }}
    >
      <summary>{printable(label)}</summary>
      <div className="menu-items">{children}</div>
    </Popup>
  );
}

const CONNECTED: Notice = { text: 'connected', tone: 'good' };
const LINKS: Readonly<Record<ConnectionState['kind'], Notice>> = {
  live: CONNECTED,
  other_version: CONNECTED,
  connecting: { text: 'connecting …', tone: 'dim' },
  lost: { text: 'Connection lost: trying again', tone: 'bad' },
};

interface ScreensProps {
  readonly state: State;
  /** The request builder is shown in place of a screen. */
  readonly hasBuilder: boolean;
}

export function Screens({ state, hasBuilder }: ScreensProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { id } = currentView(state);
  useEffect(() => setOpen(false), [id, hasBuilder]);
  const [start] = wayHere(state);
  const here = currentView(state).place.screen;
  return (
    <nav className={isOpen ? 'screens is-open' : 'screens'} aria-label="Screens">
      <Button className="screens-button" aria-expanded={isOpen} onClick={() => setOpen((before) => !before)}>
        <span aria-hidden="true">☰</span> Screens
      </Button>
      <ul>
        {OF_SCREENS.map(({ name, place }) => (
          <li key={name}>
            <a
              href={hashOf({ place })}
              aria-current={place.screen === here && !hasBuilder ? 'page' : undefined}
              className={place.screen === start?.place.screen ? 'is-start' : undefined}
            >
              {name}
            </a>
          </li>
        ))}
        <li className="tool">
          <a href={BUILDER} aria-current={hasBuilder ? 'page' : undefined}>
            request builder
          </a>
        </li>
      </ul>
    </nav>
  );
}

// Dark or light: as the system is set, until somebody chooses.

const KEPT = 'kyclone-console-theme';
type Theme = 'dark' | 'light';

function useTheme(): { readonly theme: Theme; readonly toggle: () => void } {
  const [chosen, setChosen] = useState<Theme | undefined>(() => {
    const kept = localStorage.getItem(KEPT);
    return kept === 'dark' || kept === 'light' ? kept : undefined;
  });
  useEffect(() => {
    if (chosen === undefined) return;
    document.documentElement.dataset['theme'] = chosen;
    localStorage.setItem(KEPT, chosen);
  }, [chosen]);
  const theme = chosen ?? (matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark');
  return { theme, toggle: () => setChosen(theme === 'dark' ? 'light' : 'dark') };
}
