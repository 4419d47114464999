/** How an instance that lasts is started: by the flags, the project file and what is kept. */
import type { DaemonStart } from './daemon-process.ts';
import { daemonEnvironment, type ChosenInstance, type CliEnvironment } from '../shell/environment.ts';
import { beginningOf, type FixtureRun, trustedFixtures } from '../exec/fixtures.ts';
import { judgedSettings } from '../config/preferences.ts';
import { judgeProject } from '../project/judge.ts';
import { daemonOptions, preferredOptions, type StartFlags } from './start-flags.ts';

export interface StartPlan {
  readonly start: DaemonStart;
  /** What is to run when it is ready. */
  readonly fixtures: FixtureRun;
  /** See `Beginning`. */
  readonly markFile: string | undefined;
}

/** Throws UsageError, and CliError for a project that opens something unasked. */
export async function planStart(
  flags: StartFlags,
  target: ChosenInstance,
  { root, environment }: { root: string; environment: CliEnvironment },
): Promise<StartPlan> {
  const project = await environment.project();
  await judgeProject(project);
  const preferred = preferredOptions(
    await judgedSettings(environment.bases),
    project,
    project?.instance === target.name,
  );
  const { isEmpty, markFile } = beginningOf({
    isEphemeral: flags.ephemeral || project?.ephemeral === true,
    storeFile: target.paths.storeFile,
    dataDirectory: flags['data-dir'],
  });
  const fixtures = await trustedFixtures(flags, { project, isEmpty }, environment);
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
