import type { Connection } from '../client/client.ts';
import { discover, readApiKeys, type ApiKeys } from '../client/discover.ts';
import type { Locator } from '../contract/locator.ts';
import { chooseInstance, type CliEnvironment } from './environment.ts';
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
 * The daemon to speak to. `--instance` names one, or KYCLONE_INSTANCE; else KYCLONE_BASE_URL with KYCLONE_API_KEY and
 * KYCLONE_CONTROL_TOKEN does; else it is the one of the project
 * file, or the one that runs for `default`. Whoever names an instance means it, whatever
 * an earlier `kyclone env` has left in the shell. Throws CliError 5 when none runs.
 */
export async function findDaemon(
  environment: CliEnvironment,
  instanceFlag?: string,
  timeoutMs?: number,
): Promise<DaemonAccess> {
  const isNamed = instanceFlag !== undefined || environment.instance !== undefined;
  if (environment.baseUrl !== undefined && !isNamed) {
    return {
      baseUrl: checkedUrl(environment.baseUrl),
      keys: { sandbox: environment.apiKey, live: environment.liveApiKey ?? environment.apiKey },
      controlToken: environment.controlToken,
      locator: undefined,
    };
  }
  const { name, paths } = await chooseInstance(environment, instanceFlag);
  const state = await discover(paths, timeoutMs);
  if (state.kind !== 'running') throw notRunning(name);
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

export function notRunning(instance: string): CliError {
  return new CliError(`No daemon runs for instance ${instance}`, {
    code: 'daemon_unreachable',
    exitCode: EXIT.unreachable,
    hint: instance === 'default' ? 'kyclone start -d' : `kyclone start -d --instance ${instance}`,
  });
}

function checkedUrl(text: string): string {
  if (/^https?:\/\/[^\s@]+$/.test(text) && URL.canParse(text)) return text;
  throw new CliError('KYCLONE_BASE_URL is not an http address', { code: 'usage', exitCode: EXIT.usage });
}
