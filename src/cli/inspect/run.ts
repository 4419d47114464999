/** Opens the inspector in this terminal until the user leaves. */
import type { Setup } from '../../tui/index.ts';
import { findDaemon, type DaemonAccess } from '../daemon-access.ts';
import type { CliEnvironment, TerminalVariables } from '../environment.ts';
import { found, themeFor, type Mode } from './open.ts';

export interface Opening {
  readonly cli: CliEnvironment;
  readonly flags: {
    readonly instance?: string | undefined;
    readonly live: boolean;
    readonly theme?: string | undefined;
  };
  readonly setup: Omit<Setup, 'environment'>;
  readonly ownVersion: string;
  readonly variables: TerminalVariables;
  readonly wantsColour: boolean;
}

/** Which signal ended it; undefined when the user did. Throws what the client throws, before anything is drawn. */
export async function openInspector(
  mode: Exclude<Mode, 'once'>,
  access: Promise<DaemonAccess>,
  { cli, flags, setup, ownVersion, variables, wantsColour }: Opening,
): Promise<NodeJS.Signals | undefined> {
  const [{ inspect, linearInspect }, first] = await Promise.all([
    import('../../tui/index.ts'),
    access.then((there) => found(there, flags.live)),
  ]);
  const options = {
    setup: { ...setup, environment: flags.live ? ('live' as const) : ('sandbox' as const) },
    first,
    find: async () => await found(await findDaemon(cli, flags.instance), flags.live),
    ownVersion,
    stdin: process.stdin,
    stdout: process.stdout,
    environment: variables,
  };
  if (mode === 'linear') return await linearInspect(options);
  return await inspect(options, themeFor(flags.theme, variables, wantsColour));
}
