/**
 * The stage of the tour: an instance below a temporary home, which is deleted at the end, and a search of its files
 * for values in the clear.
 */
import { rmSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { instancePaths, pathBases } from '../../kernel/files/paths.ts';
import { startInBackground } from '../instance/daemon-process.ts';
import { accessInstance, type DaemonAccess } from '../shell/daemon-access.ts';
import { daemonEnvironment } from '../shell/environment.ts';
import { startEcho } from '../echo/sink.ts';
import { stopInstance } from '../instance/lifecycle.ts';
import { sweepTemporaryFolders } from '../../kernel/files/temporary-folders.ts';
import { temporaryFolder } from '../shell/files.ts';
import { JANE } from './people.ts';
import type { TourPart } from './tour.ts';

const INSTANCE_NAME = 'demo';

/**
 * Runs `play` with an instance of its own, in memory or on disk. Neither reads nor changes the user's instances,
 * settings, keys and keychain.
 */
export async function onStage<T>(
  { root, storage }: { root: string; storage: 'memory' | 'disk' },
  play: (access: DaemonAccess, dataDirectory: string) => Promise<T>,
): Promise<T> {
  sweepTemporaryFolders();
  const home = temporaryFolder('demo');
  const paths = instancePaths(pathBases({ KYCLONE_HOME: home }, process.platform, home), INSTANCE_NAME);
  const instance = { name: INSTANCE_NAME, paths };
  try {
    await startInBackground({
      root,
      paths,
      options: [
        '--instance',
        INSTANCE_NAME,
        '--port',
        '0',
        ...(storage === 'memory' ? ['--ephemeral'] : ['--key-file', paths.vaultKeyFile]),
      ],
      environment: daemonEnvironment(home),
    });
    return await play(await accessInstance(instance), paths.dataDirectory);
  } finally {
    await stopInstance(instance).finally(() => rmSync(home, { recursive: true, force: true }));
  }
}

/**
 * Runs `play` with a third party on loopback that returns what it gets, and refuses clients without a certificate. Passes
 * what steps need to know of it: its addresses, over HTTPS and not, and certificates in base64.
 */
export async function withThirdParty<T>(
  play: (known: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const echo = await startEcho({ mutualTls: true });
  const base64 = (text = '') => Buffer.from(text).toString('base64');
  try {
    return await play({
      thirdParty: echo.httpsUrl,
      receiver: echo.httpUrl,
      authority: base64(echo.authority),
      clientCertificate: base64(echo.client?.certificate),
      clientKey: base64(echo.client?.key),
    });
  } finally {
    await echo.close();
  }
}

/** The last part of the tour, on an instance on disk: checks the content of its files. */
export function diskPart(dataDirectory: string): TourPart {
  const stored = () =>
    readdirSync(dataDirectory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)));

  const steps: TourPart['steps'] = [
    {
      title: 'An instance on disk stores the same data, sealed',
      call: 'POST /users',
      body: JANE,
      remember: { user: 'id' },
      claims: [
        {
          says: 'the id of the new user is in the files, so these contain the data',
          holds: (body) => stored().some((file) => file.includes(String(body['id']))),
        },
        {
          says: 'none of the values is in any of them',
          holds: () => stored().every((file) => texts(JANE).every((text) => !file.includes(text))),
        },
      ],
    },
    {
      title: 'The API returns the same values, with a reason',
      call: 'POST /users/{user}/vault/decrypt',
      body: { fields: ['id.ssn9', 'id.email'], reason: 'demo: is it all there?' },
      claims: [
        {
          says: 'the number and the address come back',
          is: { 'id.ssn9': JANE['id.ssn9'], 'id.email': JANE['id.email'] },
        },
      ],
    },
  ];
  return { promise: 'An instance on disk stores no value in clear', steps };
}

/** Values long enough not to occur in a file by chance. */
function texts(person: Readonly<Record<string, unknown>>): string[] {
  return Object.values(person).filter(
    (value): value is string => typeof value === 'string' && value.length > 5,
  );
}
