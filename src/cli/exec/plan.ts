/** What `kyclone exec` is going to do, by its flags, the project file and what is kept. */
import { instancePaths, NoHomeError, type PathBases } from '../../kernel/paths.ts';
import { DEFAULT_INSTANCE, type CliEnvironment } from '../shell/environment.ts';
import { judgedSettings, settingOptions } from '../config/preferences.ts';
import { daemonOptions, projectOptions, type StartFlags } from '../instance/start-flags.ts';
import { judgeProject } from '../project/judge.ts';
import type { ExecPlan } from './run.ts';
import { trustedFixtures } from './fixtures.ts';
import { parseTemplates } from './variables.ts';

interface ExecFlags extends StartFlags {
  readonly env?: string[] | undefined;
  readonly 'log-file'?: string | undefined;
}

/** Whatever port and storage the project has, this instance is in memory and at a free one. Throws UsageError. */
export async function planExec(
  flags: ExecFlags,
  command: ExecPlan['command'],
  { root, environment }: { root: string; environment: CliEnvironment },
): Promise<ExecPlan> {
  const project = await environment.project();
  await judgeProject(project);
  const bases = basesOf(environment);
  const preferred = [
    ...(bases === undefined ? [] : settingOptions(await judgedSettings(bases))),
    ...(project === undefined ? [] : projectOptions(project)),
  ];
  const always = { ...flags, ephemeral: true, port: flags.port ?? 0 };
  const fixtures = await trustedFixtures(flags, { project, isEmpty: true }, environment);
  return {
    root,
    command,
    options: [
      ...daemonOptions(always, DEFAULT_INSTANCE, preferred),
      // The user's own, not one of the home that goes: what is exported can be opened later.
      ...(bases === undefined
        ? []
        : [`--snapshot-key-file=${instancePaths(bases, DEFAULT_INSTANCE).snapshotKeyFile}`]),
    ],
    templates: parseTemplates(flags.env ?? []),
    fixtures,
    logFile: flags['log-file'],
  };
}

/** Undefined for a user without a home, who has kept nothing: the instance has a folder of its own. */
function basesOf(environment: CliEnvironment): PathBases | undefined {
  try {
    return environment.bases;
  } catch (error) {
    if (error instanceof NoHomeError) return undefined;
    throw error;
  }
}
