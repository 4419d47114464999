/** What `kyclone exec` is going to do, by its flags, the project file and what is kept. */
import { instancePaths } from '../../kernel/paths.ts';
import { DEFAULT_INSTANCE, type CliEnvironment } from '../environment.ts';
import { keptSettings, settingOptions } from '../preferences.ts';
import { daemonOptions, projectOptions, type StartFlags } from '../start-flags.ts';
import { fixturesFor, requireFixtures } from './fixtures.ts';
import type { ExecPlan } from './run.ts';
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
  const preferred = [
    ...settingOptions(await keptSettings(environment.bases)),
    ...(project === undefined ? [] : projectOptions(project)),
  ];
  // The user's own, not one of the home that goes: what is exported can be opened later.
  const { snapshotKeyFile } = instancePaths(environment.bases, DEFAULT_INSTANCE);
  const always = { ...flags, ephemeral: true, port: flags.port ?? 0 };
  const fixtures = fixturesFor(flags, project, true);
  await requireFixtures(fixtures);
  return {
    root,
    command,
    options: [
      ...daemonOptions(always, DEFAULT_INSTANCE, preferred),
      `--snapshot-key-file=${snapshotKeyFile}`,
    ],
    templates: parseTemplates(flags.env ?? []),
    fixtures,
    logFile: flags['log-file'],
  };
}
