/** From the command line to the inspector: which daemon, which screen, what the terminal can do. */
import { createClient } from '../../client/client.ts';
import type { Found, Place, ScreenText, Setup, ThemeName } from '../../tui/index.ts';
import { connectionOf, type DaemonAccess } from '../shell/daemon-access.ts';
import { canRedraw, isTerminal, type TerminalVariables } from '../shell/environment.ts';
import { UsageError } from '../shell/failure.ts';

export type { ScreenText };

/** What `--screen` takes: the names of the palette, with dashes. */
export const SCREENS: Readonly<Record<string, Place['screen']>> = {
  users: 'users',
  businesses: 'businesses',
  'bank-links': 'banks',
  events: 'events',
  deliveries: 'deliveries',
  requests: 'requests',
  'proxy-calls': 'proxy',
  'clock-and-faults': 'clock',
  snapshots: 'snapshots',
};

/** Rows of each pane that are printed: as many as a pane loads at once. */
const ROWS_ONCE = 100;

/** Who the daemon is: as its locator says, which was proven true, or else as it says itself. Throws what the client throws. */
export async function found(access: DaemonAccess, isLive: boolean): Promise<Found> {
  const connection = connectionOf(access, isLive);
  const { locator } = access;
  if (locator !== undefined) return { connection, version: locator.version, identity: locator.nonce };
  const { version, started_at: startedAt, pid } = await createClient(connection).call('GET /_kyclone/info');
  return { connection, version, identity: `${startedAt} ${pid}` };
}

/** Where it opens: on one entity, or on a screen. Throws UsageError for what is no id of one. */
export function startingPlace(id: string | undefined, screen: string | undefined): Place {
  if (id === undefined) return { screen: SCREENS[screen ?? 'users'] ?? 'users', params: {} };
  if (!/^fp_(?:bid|id)_[A-Za-z0-9_]{1,64}$/.test(id))
    throw new UsageError('--user takes an id: fp_id_… or fp_bid_…');
  return { screen: 'entity', params: { fp_id: id, kind: id.startsWith('fp_bid_') ? 'business' : 'user' } };
}

/** What the header calls the daemon: its instance, or its address where that is how it was found. */
export function whereOf(
  { locator, baseUrl }: DaemonAccess,
  { name }: { readonly name: string },
): Pick<Setup, 'instance' | 'isByAddress'> {
  return locator === undefined ? { instance: new URL(baseUrl).host, isByAddress: true } : { instance: name };
}

/** Drawn over and over, said line by line, or printed once. */
export type Mode = 'screen' | 'linear' | 'once';

/** Lines need a terminal, too, for the keys; only one that can draw over itself gets the screen. */
export function modeOf(
  flags: { readonly once: boolean; readonly linear: boolean },
  { INK_SCREEN_READER }: TerminalVariables,
): Mode {
  const { stdin, stdout } = process;
  if (flags.once || !isTerminal(stdin) || !isTerminal(stdout)) return 'once';
  if (flags.linear || INK_SCREEN_READER === 'true') return 'linear';
  return canRedraw(stdout) ? 'screen' : 'once';
}

/** The screen at a place, read once. Throws what the client throws. */
export async function readOnce(access: DaemonAccess, isLive: boolean, place: Place): Promise<ScreenText> {
  const { createSource, readScreen } = await import('../../tui/index.ts');
  const source = createSource(connectionOf(access, isLive), isLive ? 'live' : 'sandbox');
  return await readScreen(source, place, { rows: ROWS_ONCE });
}

/** Colours where they are wanted; for a light terminal where it says that it is one. */
export function themeFor(
  flag: string | undefined,
  { COLORFGBG }: TerminalVariables,
  wantsColour: boolean,
): ThemeName {
  if (flag === 'dark' || flag === 'light' || flag === 'none') return flag;
  if (!wantsColour) return 'none';
  const background = Number(COLORFGBG?.split(';').at(-1));
  return background === 7 || background >= 9 ? 'light' : 'dark';
}
