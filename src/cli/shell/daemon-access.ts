/**
 * Chooses the daemon that a command uses, by address or by instance, and reports in the same way for every command
 * when it can't be reached.
 */
import { attempt } from '../../kernel/attempt.ts';
import { readdirSync } from 'node:fs';
import { LOOPBACK_HOSTS } from '../../nouns/requests/facts.ts';
import type { Connection } from '../../client/client.ts';
import {
  discover,
  readApiKeys,
  type LocalApiKeys,
  type DaemonState,
  locatedAt,
} from '../../client/discover.ts';
import {
  type InstancePaths,
  type Locator,
  INSTANCE_NAME,
  instancePaths,
  type PathBases,
} from '../../kernel/files/paths.ts';
import { chooseInstance, type CliEnvironment, type ChosenInstance } from './environment.ts';
import { EXIT } from './exit-codes.ts';
import { CliError, UsageError } from './failure.ts';
import { defined } from '../../kernel/defined.ts';
import { CREDENTIAL_PREFIX } from '../../kernel/ids/ids.ts';

type NotRunning = Exclude<DaemonState, { kind: 'running' }>;

/** The failure of a command that needs the daemon. Its exit code is 5 by default. */
export function notRunning(
  instance: string,
  state: NotRunning,
  exitCode: number = EXIT.unreachable,
): CliError {
  const failure = (code: string, message: string, hint: string) =>
    new CliError(message, { code, exitCode, hint });
  const none = `No daemon runs for instance ${instance}`;
  if (state.kind === 'absent') return failure('daemon_unreachable', none, startCommand(instance));
  if (state.kind === 'damaged') {
    return failure(
      'locator_damaged',
      `The locator ${state.file} of instance ${instance} is damaged: it is unknown whether its daemon runs, and where`,
      `${startCommand(instance)} rewrites it if no daemon runs; end a running one by its process id`,
    );
  }
  const { pid, url } = state.locator;
  if (state.kind === 'dead') {
    const other = state.isAnswered ? `; another program answers at ${url}, and nothing was sent to it` : '';
    return failure(
      'daemon_unreachable',
      `${none}: process ${pid} ended without cleaning up${other}`,
      startCommand(instance),
    );
  }
  if (state.kind === 'silent') {
    return failure(
      'daemon_hangs',
      `The daemon of instance ${instance} (process ${pid}) hangs: it does not respond at ${url}`,
      `kill -CONT ${pid} wakes one that was suspended; kill -KILL ${pid} ends it`,
    );
  }
  return state.isAnswered
    ? failure(
        'identity_unproven',
        `The server at ${url} does not prove to be the daemon of instance ${instance}, though process ${pid} exists; nothing was sent to it, and no process was signalled`,
        `end process ${pid} yourself if it is a kycloned; kyclone start then starts a new one`,
      )
    : failure(
        'identity_unproven',
        `The daemon of instance ${instance} (process ${pid}) does not listen at ${url}: it is stopping, or another program has its process id; no process was signalled`,
        `try again; end process ${pid} yourself if it is a kycloned that does not end`,
      );
}

function startCommand(instance: string): string {
  return instance === 'default' ? 'kyclone start -d' : `kyclone start -d --instance ${instance}`;
}

/** The daemon's address and credentials. `locator` is absent if the environment named the daemon. */
export interface DaemonAccess {
  readonly baseUrl: string;
  readonly keys: LocalApiKeys;
  readonly controlToken: string | undefined;
  readonly locator: Locator | undefined;
}

/**
 * Finds the daemon, in this order: `--instance`; KYCLONE_BASE_URL with KYCLONE_API_KEY and KYCLONE_CONTROL_TOKEN;
 * KYCLONE_INSTANCE; the instance of the project file; the one that runs for `default`. An address takes precedence
 * over KYCLONE_INSTANCE, because a shell profile or a script may set that inside `kyclone exec`: there, a command
 * that deletes or stops must never reach another instance. Throws CliError 5 if no daemon runs.
 */
export async function findDaemon(
  environment: CliEnvironment,
  instanceFlag?: string,
  timeoutMs?: number,
): Promise<DaemonAccess> {
  if (environment.baseUrl !== undefined && instanceFlag === undefined) {
    return accessByAddress(environment, environment.baseUrl);
  }
  return await accessInstance(await chooseInstance(environment, instanceFlag), timeoutMs);
}

/** Gives access to the daemon of an instance, whatever the environment names. Throws CliError 5. */
export async function accessInstance(
  { name, paths }: ChosenInstance,
  timeoutMs?: number,
): Promise<DaemonAccess> {
  const state = await discover(paths, timeoutMs);
  if (state.kind !== 'running') throw notRunning(name, state);
  return accessOf(state.locator, paths);
}

/** Access to the daemon that proved itself to be the one of this locator. */
export function accessOf(locator: Locator, { credentialsFile }: InstancePaths): DaemonAccess {
  const { url: baseUrl, control_token: controlToken } = locator;
  return { baseUrl, keys: readApiKeys(credentialsFile), controlToken, locator };
}

/** A connection for the client, with the key of the environment. */
export function connectionOf(access: DaemonAccess, isLive: boolean, operator?: string): Connection {
  const { live, sandbox } = access.keys;
  if (isLive && live === undefined && sandbox !== undefined)
    throw new UsageError(
      '--live needs KYCLONE_LIVE_API_KEY: KYCLONE_API_KEY is of the sandbox',
      'kyclone env prints it',
    );
  return {
    baseUrl: access.baseUrl,
    apiKey: isLive ? live : sandbox,
    liveApiKey: live,
    controlToken: access.controlToken,
    ...defined({ operator }),
  };
}

/** Access to the daemon at KYCLONE_BASE_URL, from the environment. Throws CliError if that is not an address. */
export function accessByAddress(environment: CliEnvironment, baseUrl: string): DaemonAccess {
  return {
    baseUrl: checkedUrl(baseUrl),
    keys: { sandbox: environment.apiKey, live: environment.liveApiKey ?? liveOnly(environment.apiKey) },
    controlToken: environment.controlToken,
    locator: undefined,
  };
}

/** A key of the sandbox is no substitute: `--live` would change the sandbox. */
function liveOnly(key: string | undefined): string | undefined {
  return key?.startsWith(CREDENTIAL_PREFIX.live) === true ? key : undefined;
}

/** Throws CliError. */
function checkedUrl(text: string): string {
  if (/^https?:\/\/[^\s@]+$/.test(text) && URL.canParse(text)) return text;
  throw new UsageError('KYCLONE_BASE_URL is not an http address', 'it looks like http://127.0.0.1:4630');
}

export interface Meant {
  /** Undefined if the address belongs to none of this user's instances. */
  readonly instance: ChosenInstance | undefined;
  /** The daemon's address in the environment; undefined with --instance, or if none is set. */
  readonly address: string | undefined;
}

/**
 * Only a typed --instance takes precedence over an address. KYCLONE_INSTANCE counts only without an address. Throws
 * UsageError for an invalid value.
 */
export async function meantInstance(environment: CliEnvironment, flag: string | undefined): Promise<Meant> {
  if (flag !== undefined || environment.baseUrl === undefined) {
    return { instance: await chooseInstance(environment, flag), address: undefined };
  }
  const address = checkedUrl(environment.baseUrl);
  return { instance: await instanceAt(environment.bases, address), address };
}

/** Requires an instance of this user. Throws CliError 2, which explains how to name one. */
export function requireInstance({ instance, address }: Meant): ChosenInstance {
  if (instance !== undefined) return instance;
  throw new CliError(
    `KYCLONE_BASE_URL is ${address ?? ''}, which is none of your instances; choose one with --instance`,
    {
      code: 'instance_unnamed',
      hint:
        'unset KYCLONE_BASE_URL if it is of an instance that has stopped; --instance default is yours; ' +
        'kyclone exec stops and removes its own instance automatically',
    },
  );
}

/**
 * The instance whose locator has this address: the one that runs there, or else the only one that did and could be
 * restarted. Undefined if another program responds at the address, such as the daemon of `kyclone exec`.
 */
async function instanceAt(bases: PathBases, address: string): Promise<ChosenInstance | undefined> {
  const claimants: { instance: ChosenInstance; state: DaemonState }[] = [];
  for (const { url, ...instance } of locatedInstances(bases)) {
    if (!isSameAddress(url, address)) continue;
    const state = await discover(instance.paths);
    if (state.kind === 'running') return instance;
    claimants.push({ instance, state });
  }
  const possible = claimants.filter(({ state }) => !('isAnswered' in state && state.isAnswered));
  return possible.length === 1 ? possible[0]?.instance : undefined;
}

/** All instances that this user ever started, running or not. */
export function instanceNames(stateFolder: string): string[] {
  const entries = attempt(() => readdirSync(stateFolder, { withFileTypes: true })) ?? [];
  return entries.filter((entry) => !entry.isFile() && INSTANCE_NAME.test(entry.name)).map(({ name }) => name);
}

/** Those with a usable locator. */
export function locatedInstances(bases: PathBases): (ChosenInstance & { readonly url: string })[] {
  return instanceNames(bases.state).flatMap((name) => {
    const paths = instancePaths(bases, name);
    const url = attempt(() => locatedAt(paths.locatorFile));
    return url === undefined ? [] : [{ name, paths, url }];
  });
}

const LOOPBACK: ReadonlySet<string> = new Set(LOOPBACK_HOSTS);

/** Whether two addresses reach the same port; names of this machine are equal. */
export function isSameAddress(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)];
  if (a.protocol !== b.protocol || a.port !== b.port) return false;
  return a.hostname === b.hostname || (LOOPBACK.has(a.hostname) && LOOPBACK.has(b.hostname));
}
