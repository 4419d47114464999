/** From the command line to the inspector: which daemon, which screen, what the terminal can do. */
import { createClient } from '../../client/client.ts';
import type { Found, Place, ThemeName } from '../../tui/index.ts';
import { connectionOf, type DaemonAccess } from '../daemon-access.ts';
import type { TerminalVariables } from '../environment.ts';
import { UsageError } from '../failure.ts';

/** Asks the daemon who it is. Throws what the client throws. */
export async function found(access: DaemonAccess, isLive: boolean): Promise<Found> {
  const connection = connectionOf(access, isLive);
  const { version, started_at: startedAt, pid } = await createClient(connection).call('GET /_kyclone/info');
  return { connection, version, identity: access.locator?.nonce ?? `${startedAt} ${pid}` };
}

/** Where it opens: on one entity, or on the users. Throws UsageError for what is no id of one. */
export function startingPlace(id: string | undefined): Place {
  if (id === undefined) return { screen: 'users', params: {} };
  if (!/^fp_(?:bid|id)_[A-Za-z0-9_]{1,64}$/.test(id))
    throw new UsageError('--user takes an id: fp_id_… or fp_bid_…');
  return { screen: 'entity', params: { fp_id: id, kind: id.startsWith('fp_bid_') ? 'business' : 'user' } };
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
