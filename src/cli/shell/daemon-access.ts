/**
 * The daemon that a command speaks to: by an address or by the instance that is meant, and what is reported when it
 * can't be reached, the same by every command.
 */
import { readdirSync } from 'node:fs';
import { LOOPBACK_HOSTS } from '../../contract/facts/requests.ts';
import type { Connection } from '../../client/client.ts';
import { discover, readApiKeys, type ApiKeys, type DaemonState, locatedAt } from '../../client/discover.ts';
import type { Locator } from '../../contract/locator.ts';
import { chooseInstance, type CliEnvironment, type ChosenInstance } from './environment.ts';
import { EXIT } from './exit-codes.ts';
import { CliError } from './failure.ts';
import { INSTANCE_NAME, instancePaths, type PathBases } from '../../kernel/paths.ts';

type NotRunning = Exclude<DaemonState, { kind: 'running' }>;

interface StateDescription {
  readonly message: string;
  readonly code: string;
  readonly hint: string;
}

/** The failure of a command that needs the daemon; exit code 5 unless another is given. */
export function notRunning(
  instance: string,
  state: NotRunning,
  exitCode: number = EXIT.unreachable,
): CliError {
  const { message, code, hint } = describeState(instance, state);
  return new CliError(message, { code, exitCode, hint });
}

function describeState(instance: string, state: NotRunning): StateDescription {
  switch (state.kind) {
    case 'absent':
      return {
        message: `No daemon runs for instance ${instance}`,
        code: 'daemon_unreachable',
        hint: startCommand(instance),
      };
    case 'damaged':
      return {
        message: `The locator ${state.file} of instance ${instance} is damaged: where its daemon is, or whether one runs, is not known`,
        code: 'locator_damaged',
        hint: `${startCommand(instance)} writes it again when none runs; end one that does by its process id`,
      };
    case 'dead': {
      const other = state.isAnswered
        ? `; another program answers at ${state.locator.url}, and nothing was sent to it`
        : '';
      return {
        message: `No daemon runs for instance ${instance}: process ${state.locator.pid} ended without cleaning up${other}`,
        code: 'daemon_unreachable',
        hint: startCommand(instance),
      };
    }
    case 'silent':
      return {
        message: `The daemon of instance ${instance} (process ${state.locator.pid}) hangs: it does not answer at ${state.locator.url}`,
        code: 'daemon_hangs',
        hint: `kill -CONT ${state.locator.pid} wakes one that was suspended; kill -KILL ${state.locator.pid} ends it`,
      };
    case 'unproven':
      return state.isAnswered
        ? {
            message: `What answers at ${state.locator.url} does not prove to be the daemon of instance ${instance}, though process ${state.locator.pid} is there; nothing was sent to it, and no process was signalled`,
            code: 'identity_unproven',
            hint: `end process ${state.locator.pid} yourself if it is a kycloned; kyclone start then starts a new one`,
          }
        : {
            message: `The daemon of instance ${instance} (process ${state.locator.pid}) does not listen at ${state.locator.url}: it stops, or another program has its process id; no process was signalled`,
            code: 'identity_unproven',
            hint: `try again; end process ${state.locator.pid} yourself if it is a kycloned that stays`,
          };
  }
}

function startCommand(instance: string): string {
  return instance === 'default' ? 'kyclone start -d' : `kyclone start -d --instance ${instance}`;
}

/** Where the daemon is and what opens it. `locator` is absent when the environment named the daemon. */
export interface DaemonAccess {
  readonly baseUrl: string;
  readonly keys: ApiKeys;
  readonly controlToken: string | undefined;
  readonly locator: Locator | undefined;
}

/**
 * The daemon to speak to. `--instance` names one; else KYCLONE_BASE_URL with KYCLONE_API_KEY and KYCLONE_CONTROL_TOKEN
 * does; else KYCLONE_INSTANCE; else it is the one of the project file, or the one that runs for `default`. An address
 * wins over KYCLONE_INSTANCE, which a shell profile or a script may set inside `kyclone exec`: a command that deletes or
 * stops must never reach another instance from there. Throws CliError 5 when none runs.
 */
export async function findDaemon(
  environment: CliEnvironment,
  instanceFlag?: string,
  timeoutMs?: number,
): Promise<DaemonAccess> {
  if (environment.baseUrl !== undefined && instanceFlag === undefined) {
    return accessByAddress(environment, environment.baseUrl);
  }
  const { name, paths } = await chooseInstance(environment, instanceFlag);
  const state = await discover(paths, timeoutMs);
  if (state.kind !== 'running') throw notRunning(name, state);
  return {
    baseUrl: state.locator.url,
    keys: readApiKeys(paths.credentialsFile),
    controlToken: state.locator.control_token,
    locator: state.locator,
  };
}

/** The client's view of an access: one key, by environment. */
export function connectionOf(access: DaemonAccess, isLive: boolean, operator?: string): Connection {
  return {
    baseUrl: access.baseUrl,
    apiKey: isLive ? access.keys.live : access.keys.sandbox,
    liveApiKey: access.keys.live,
    controlToken: access.controlToken,
    ...(operator !== undefined && { operator }),
  };
}

/** What the environment says of the daemon at KYCLONE_BASE_URL. Throws CliError where that is no address. */
export function accessByAddress(environment: CliEnvironment, baseUrl: string): DaemonAccess {
  return {
    baseUrl: checkedUrl(baseUrl),
    keys: { sandbox: environment.apiKey, live: environment.liveApiKey ?? environment.apiKey },
    controlToken: environment.controlToken,
    locator: undefined,
  };
}

/** Throws CliError. */
export function checkedUrl(text: string): string {
  if (/^https?:\/\/[^\s@]+$/.test(text) && URL.canParse(text)) return text;
  throw new CliError('KYCLONE_BASE_URL is not an http address', { code: 'usage', exitCode: EXIT.usage });
}

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

/** The instances of this user that were ever started, running or not. */
export function instanceNames(stateFolder: string): string[] {
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

const LOOPBACK: ReadonlySet<string> = new Set(LOOPBACK_HOSTS);

function isSameAddress(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)];
  if (a.protocol !== b.protocol || a.port !== b.port) return false;
  return a.hostname === b.hostname || (LOOPBACK.has(a.hostname) && LOOPBACK.has(b.hostname));
}
