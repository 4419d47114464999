/** Where the tour takes place: an ephemeral instance below a temporary home, gone when the tour is over. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { instancePaths, pathBases } from '../../kernel/paths.ts';
import { startInBackground } from '../daemon-process.ts';
import type { DaemonAccess } from '../daemon-access.ts';
import { daemonEnvironment } from '../environment.ts';
import { accessInstance, stopInstance } from '../lifecycle.ts';

const INSTANCE_NAME = 'demo';

/** Runs `play` against an instance of its own; the user's instances, settings and keys are neither read nor changed. */
export async function onStage<T>(root: string, play: (access: DaemonAccess) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'kyclone-demo-'));
  const paths = instancePaths(pathBases({ KYCLONE_HOME: home }, process.platform, home), INSTANCE_NAME);
  const instance = { name: INSTANCE_NAME, paths };
  try {
    await startInBackground({
      root,
      paths,
      options: ['--instance', INSTANCE_NAME, '--ephemeral', '--port', '0'],
      environment: daemonEnvironment(home),
    });
    return await play(await accessInstance(instance));
  } finally {
    await stopInstance(instance).finally(() => rmSync(home, { recursive: true, force: true }));
  }
}
