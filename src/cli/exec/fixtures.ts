/** Fixtures of `start` and `exec`: calls that are made once the instance is ready, before anybody else calls it. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createClient } from '../../client/client.ts';
import { connectionOf, type DaemonAccess } from '../daemon-access.ts';
import type { ProjectContent } from '../project/check.ts';

export interface FixtureRun {
  /** Whole paths, in the order in which they are to run. */
  readonly files: readonly string[];
  /** Variables, for those of the fixtures that have them. */
  readonly set: Readonly<Record<string, string>>;
}

/** Runs fixtures against an instance. Throws what the first failing call or expectation comes to. */
export async function applyFixtures(run: FixtureRun, access: DaemonAccess): Promise<void> {
  if (run.files.length === 0) return;
  // Loaded when there is one: it reads YAML.
  const { runFixtures } = await import('../fixtures/run.ts');
  await runFixtures(run.files, {
    client: createClient(connectionOf(access, false)),
    set: {},
    projectSet: run.set,
    onStep: () => undefined,
  });
}

/**
 * The project's fixtures, then those that were named. What the project describes is where an instance begins: its
 * fixtures run on an instance that is empty, and not where a snapshot says where to begin.
 */
export function fixturesFor(
  flags: { readonly fixture?: readonly string[] | undefined; readonly import?: string | undefined },
  project: ProjectContent | undefined,
  isEmpty: boolean,
): FixtureRun {
  const ofProject = isEmpty && flags.import === undefined ? (project?.fixtures ?? []) : [];
  const named = (flags.fixture ?? []).map((file) => resolve(file));
  return { files: [...ofProject, ...named], set: project?.set ?? {} };
}

/** Whether a start finds nothing that an earlier one has left. */
export function startsEmpty(start: {
  readonly isEphemeral: boolean;
  readonly storeFile: string;
  readonly dataDirectory: string | undefined;
}): boolean {
  const store = start.dataDirectory === undefined ? start.storeFile : join(start.dataDirectory, 'vault.db');
  return start.isEphemeral || !existsSync(store);
}
