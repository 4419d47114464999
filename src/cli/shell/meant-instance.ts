/**
 * Which instance a command means that works on one itself rather than calling its API: start, stop, restart, env, logs
 * and doctor. Where KYCLONE_BASE_URL is set, as inside `kyclone exec` and after `eval "$(kyclone env)"`, that is the
 * instance at the address, and never another one that the user happens to have.
 */
import { readdirSync } from 'node:fs';
import { discover, locatedAt, type DaemonState } from '../../client/discover.ts';
import { INSTANCE_NAME, instancePaths, type PathBases } from '../../kernel/paths.ts';
import { checkedUrl } from './daemon-access.ts';
import { chooseInstance, type ChosenInstance, type CliEnvironment } from './environment.ts';
import { EXIT } from './exit-codes.ts';
import { CliError } from './failure.ts';

export interface Meant {
  /** Undefined where the address is none of this user's instances. */
  readonly instance: ChosenInstance | undefined;
  /** Where the environment says the daemon is; undefined where --instance names one, or none is set. */
  readonly address: string | undefined;
}

/**
 * Only a name that is typed, with --instance, goes before an address; KYCLONE_INSTANCE counts where there is no address.
 * Throws UsageError for what is neither.
 */
export async function meantInstance(environment: CliEnvironment, flag: string | undefined): Promise<Meant> {
  if (flag !== undefined || environment.baseUrl === undefined) {
    return { instance: await chooseInstance(environment, flag), address: undefined };
  }
  const address = checkedUrl(environment.baseUrl);
  return { instance: await instanceAt(environment.bases, address), address };
}

/** The command needs an instance of this user's. Throws CliError 2, which says what to name. */
export function requireInstance({ instance, address }: Meant): ChosenInstance {
  if (instance !== undefined) return instance;
  throw new CliError(
    `KYCLONE_BASE_URL is ${address ?? ''}, which is none of your instances; name the one that is meant with --instance`,
    {
      code: 'instance_unnamed',
      exitCode: EXIT.usage,
      hint: '--instance default is yours; kyclone exec stops and removes its own instance by itself',
    },
  );
}

/**
 * The instance whose locator names this address: the one that runs there, else the only one that did and may be
 * started again. Undefined where another program answers at the address, as the daemon of `kyclone exec` does.
 */
async function instanceAt(bases: PathBases, address: string): Promise<ChosenInstance | undefined> {
  const claimants: { instance: ChosenInstance; state: DaemonState }[] = [];
  for (const name of instanceNames(bases.state)) {
    const paths = instancePaths(bases, name);
    const url = urlOf(paths.locatorFile);
    if (url === undefined || !isSameAddress(url, address)) continue;
    const state = await discover(paths);
    if (state.kind === 'running') return { name, paths };
    claimants.push({ instance: { name, paths }, state });
  }
  const possible = claimants.filter(({ state }) => !('isAnswered' in state && state.isAnswered));
  return possible.length === 1 ? possible[0]?.instance : undefined;
}

function instanceNames(stateFolder: string): string[] {
  try {
    return readdirSync(stateFolder).filter((name) => INSTANCE_NAME.test(name));
  } catch {
    return [];
  }
}

/** A locator that can't be used names nothing. */
function urlOf(locatorFile: string): string | undefined {
  try {
    return locatedAt(locatorFile);
  } catch {
    return undefined;
  }
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

function isSameAddress(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)];
  if (a.protocol !== b.protocol || a.port !== b.port) return false;
  return a.hostname === b.hostname || (LOOPBACK.has(a.hostname) && LOOPBACK.has(b.hostname));
}
