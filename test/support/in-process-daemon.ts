/** The daemon within the process of the test, with a home of its own. */
import { readFileSync } from 'node:fs';
import { startDaemon, type DaemonStartOptions } from '../../src/daemon/start.ts';
import { instancePaths, type InstancePaths } from '../../src/kernel/files/paths.ts';

export function pathsBelow(root: string): InstancePaths {
  return instancePaths({ data: `${root}/data`, state: `${root}/state`, config: `${root}/config` }, 'default');
}

/** Starts an ephemeral daemon, or a durable one with `isEphemeral: false`. The test stops it. */
export async function startInProcess(paths: InstancePaths, options: Partial<DaemonStartOptions> = {}) {
  const daemon = await startDaemon({
    instance: 'default',
    version: '0.0.0-test',
    builtFolder: '',
    daemonScriptFile: '',
    paths,
    port: 0,
    isEphemeral: true,
    logFile: paths.logFile,
    settings: {},
    keySource: { keyFile: undefined, requireKeychain: false, noKeychain: true, environment: {} },
    ...options,
  });
  const locator = JSON.parse(readFileSync(paths.locatorFile, 'utf8')) as { control_token: string };
  const keys = JSON.parse(readFileSync(paths.credentialsFile, 'utf8')) as { sandbox: string };
  return { daemon, controlToken: locator.control_token, key: keys.sandbox };
}
