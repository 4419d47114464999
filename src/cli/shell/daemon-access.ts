import type { Connection } from '../../client/client.ts';
import { discover, readApiKeys, type ApiKeys } from '../../client/discover.ts';
import type { Locator } from '../../contract/locator.ts';
import { chooseInstance, type CliEnvironment } from './environment.ts';
import { notRunning } from './daemon-states.ts';
import { EXIT } from './exit-codes.ts';
import { CliError } from './failure.ts';

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
export function connectionOf(access: DaemonAccess, isLive: boolean): Connection {
  return {
    baseUrl: access.baseUrl,
    apiKey: isLive ? access.keys.live : access.keys.sandbox,
    liveApiKey: access.keys.live,
    controlToken: access.controlToken,
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
