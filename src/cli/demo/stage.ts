/** Where the tour takes place: an instance below a temporary home, gone when the tour is over. */
import { rmSync } from 'node:fs';
import { instancePaths, pathBases } from '../../kernel/paths.ts';
import { startInBackground } from '../instance/daemon-process.ts';
import type { DaemonAccess } from '../shell/daemon-access.ts';
import { daemonEnvironment } from '../shell/environment.ts';
import type { Identity } from '../echo/authority.ts';
import { startEcho } from '../echo/sink.ts';
import { accessInstance, stopInstance } from '../instance/lifecycle.ts';
import { makeTemporaryFolder } from '../shell/temporary-folder.ts';

const INSTANCE_NAME = 'demo';

/**
 * Runs `play` against an instance of its own, in memory or on disk; the user's instances, settings, keys and keychain
 * are neither read nor changed.
 */
export async function onStage<T>(
  { root, storage }: { root: string; storage: 'memory' | 'disk' },
  play: (access: DaemonAccess, dataDirectory: string) => Promise<T>,
): Promise<T> {
  const home = makeTemporaryFolder('kyclone-demo-');
  const paths = instancePaths(pathBases({ KYCLONE_HOME: home }, process.platform, home), INSTANCE_NAME);
  const instance = { name: INSTANCE_NAME, paths };
  try {
    await startInBackground({
      root,
      paths,
      options: [
        ...['--instance', INSTANCE_NAME, '--port', '0'],
        ...(storage === 'memory' ? ['--ephemeral'] : ['--key-file', paths.vaultKeyFile]),
      ],
      environment: daemonEnvironment(home),
    });
    return await play(await accessInstance(instance), paths.dataDirectory);
  } finally {
    await stopInstance(instance).finally(() => rmSync(home, { recursive: true, force: true }));
  }
}

/** Somebody to send vaulted data to. */
export interface ThirdParty {
  /** Over HTTPS. */
  readonly url: string;
  /** For what needs no certificate. */
  readonly httpUrl: string;
  /** PEM: the authority of its certificate. */
  readonly authority: string;
  /** What it wants to be shown. */
  readonly client: Identity;
}

/** Runs `play` with a third party on loopback that answers what it gets, and talks to nobody without a certificate. */
export async function withThirdParty<T>(play: (party: ThirdParty) => Promise<T>): Promise<T> {
  const echo = await startEcho({ mutualTls: true });
  try {
    if (echo.client === undefined) throw new Error('mutual TLS without a certificate for the client');
    return await play({
      url: echo.httpsUrl,
      httpUrl: echo.httpUrl,
      authority: echo.authority,
      client: echo.client,
    });
  } finally {
    await echo.close();
  }
}
