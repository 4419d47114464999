/** Opens the inspector in this terminal until the user leaves. */
import type { Setup } from '../../tui/index.ts';
import { findDaemon, type DaemonAccess } from '../shell/daemon-access.ts';
import type { CliEnvironment, TerminalVariables } from '../shell/environment.ts';
import { found, themeFor, whereOf, type Mode } from './open.ts';

export interface Opening {
  readonly cli: CliEnvironment;
  readonly flags: {
    readonly instance?: string | undefined;
    readonly live: boolean;
    readonly theme?: string | undefined;
  };
  readonly setup: Pick<Setup, 'isReadonly' | 'start'>;
  /** The instance that is meant where no address is. */
  readonly target: Promise<{ readonly name: string }>;
  readonly ownVersion: string;
  readonly variables: TerminalVariables;
  readonly wantsColour: boolean;
}

/** Which signal ended it; undefined when the user did. Throws what the client throws, before anything is drawn. */
export async function openInspector(
  mode: Exclude<Mode, 'once'>,
  access: Promise<DaemonAccess>,
  { cli, flags, setup, target, ownVersion, variables, wantsColour }: Opening,
): Promise<NodeJS.Signals | undefined> {
  const [{ inspect, linearInspect }, first] = await Promise.all([
    import('../../tui/index.ts'),
    access.then((there) => found(there, flags.live)),
  ]);
  const options = {
    setup: {
      ...whereOf(await access, await target),
      ...setup,
      environment: flags.live ? ('live' as const) : ('sandbox' as const),
    },
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
