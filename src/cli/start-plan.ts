/** How an instance that lasts is started: by the flags, the project file and what is kept. */
import type { DaemonStart } from './daemon-process.ts';
import { daemonEnvironment, type ChosenInstance, type CliEnvironment } from './environment.ts';
import { beginningOf, fixturesFor, requireFixtures, type FixtureRun } from './exec/fixtures.ts';
import { keptSettings } from './preferences.ts';
import { daemonOptions, preferredOptions, type StartFlags } from './start-flags.ts';

export interface StartPlan {
  readonly start: DaemonStart;
  /** What is to run when it is ready. */
  readonly fixtures: FixtureRun;
  /** See `Beginning`. */
  readonly markFile: string | undefined;
}

/** Throws UsageError. */
export async function planStart(
  flags: StartFlags,
  target: ChosenInstance,
  { root, environment }: { root: string; environment: CliEnvironment },
): Promise<StartPlan> {
  const project = await environment.project();
  const preferred = preferredOptions(
    await keptSettings(environment.bases),
    project,
    project?.instance === target.name,
  );
  const { isEmpty, markFile } = beginningOf({
    isEphemeral: flags.ephemeral || project?.ephemeral === true,
    storeFile: target.paths.storeFile,
    dataDirectory: flags['data-dir'],
  });
  const fixtures = fixturesFor(flags, project, isEmpty);
  await requireFixtures(fixtures);
  return {
    start: {
      root,
      paths: target.paths,
      options: daemonOptions(flags, target.name, preferred),
      environment: daemonEnvironment(),
    },
    fixtures,
    markFile,
  };
}
