/**
 * Start options of an instance that outlives the command: from the flags of `start` and `restart`, the project file
 * and the kept settings, as options of the daemon.
 */
import { resolve } from 'node:path';
import { boolean, string } from '@oclif/core/flags';
import { DEFAULT_PORT } from '../../nouns/control/facts.ts';
import { type FlagValues, portFlag, trustFlag, repeatable, needing } from '../shell/flags.ts';
import { parsed, UsageError } from '../shell/failure.ts';
import {
  settingName,
  settingOptions,
  type KeptSettings,
  judge,
  judgedSettings,
} from '../config/preferences.ts';
import { type ProjectContent, judgeProject } from '../project/project.ts';
import { parseInstant } from '../../kernel/time/civil-date.ts';
import type { DaemonStart } from './daemon-process.ts';
import { daemonEnvironment, type ChosenInstance, type CliEnvironment } from '../shell/environment.ts';
import { beginningOf, type FixturesToRun, trustedFixtures } from '../exec/fixtures.ts';
import { defined } from '../../kernel/defined.ts';

/** Flags that `exec` has too. Its instance is never on disk. */
export const throwAwayFlags = {
  ...trustFlag,
  ephemeral: boolean({ summary: 'keep all data in memory; it is lost when the daemon ends' }),
  port: portFlag(`port to listen on, 0 for a free one (default ${DEFAULT_PORT})`, 'N'),
  host: string({
    summary: 'address to listen on instead of loopback; needs --allow-remote',
    helpValue: 'HOST',
  }),
  'allow-remote': boolean({ summary: 'let other machines reach it' }),
  seed: string({ summary: 'make ids the same in each run', helpValue: 'TEXT' }),
  clock: string({
    summary: 'freeze the clock at this time, such as 2026-01-31T12:00:00Z',
    helpValue: 'TIME',
    parse: (text) =>
      parsed(
        parseInstant(text) === undefined ? undefined : text,
        '--clock takes an ISO 8601 time on a day that exists, such as 2026-01-31T12:00:00Z',
      ),
  }),
  import: string({ summary: 'begin with the state of this snapshot', helpValue: 'FILE' }),
  'with-access': needing(
    boolean({ summary: 'also import the keys, receivers, hosts, origins and egress of the --import file' }),
    'import',
  ),
  'export-on-exit': string({
    summary: 'save the state as a snapshot when it stops (default: to the --import file)',
    helpValue: 'FILE',
  }),
  'api-key-file': string({ summary: 'file with the initial API keys, one per line', helpValue: 'FILE' }),
  fixture: string({
    summary: 'a fixture to run when it is ready; repeatable',
    helpValue: 'FILE',
    ...repeatable,
  }),
  'fixture-set': string({
    summary: 'a variable of the fixtures; repeatable',
    helpValue: 'NAME=VALUE',
    ...repeatable,
  }),
  set: string({
    summary: 'a setting for this start, such as egress.policy=strict; repeatable',
    helpValue: 'NAME=VALUE',
    ...repeatable,
  }),
};

export const startFlags = {
  ...throwAwayFlags,
  'data-dir': string({ summary: 'keep the encrypted store here', helpValue: 'DIR' }),
  'key-file': string({ summary: 'keep the vault key in this file', helpValue: 'FILE' }),
  'require-keychain': boolean({ summary: 'for a new vault: refuse to start without the OS keychain' }),
  'accept-loss': boolean({ summary: 'go on with a store that lacks its latest changes' }),
};

/** Flags whose value is optional: an empty text if none was given. */
export const OPTIONAL_VALUES = ['export-on-exit'] as const;

export type StartFlags = Partial<FlagValues<typeof startFlags>>;

/** The flags that are options of the daemon, too, in the order of its own. */
const OPTIONS = (
  'ephemeral port host allow-remote seed clock import with-access export-on-exit data-dir api-key-file ' +
  'key-file require-keychain accept-loss'
).split(' ');
const PATHS: ReadonlySet<string> = new Set(['import', 'data-dir', 'api-key-file', 'key-file']);

/**
 * The daemon's options. Kept settings and the project file come first, so that flags override them. Paths are
 * relative to the caller's folder. Throws UsageError.
 */
export function daemonOptions(flags: StartFlags, instance: string, preferred: readonly string[]): string[] {
  const given = flags as Readonly<Record<string, string | number | boolean | undefined>>;
  return [
    '--instance',
    instance,
    ...preferred,
    ...OPTIONS.flatMap((name) => optionOf(name, given[name])),
    ...(flags.set ?? []).flatMap((assignment) => ['--set', checkedAssignment(assignment)]),
  ];
}

function optionOf(name: string, value: string | number | boolean | undefined): string[] {
  const option = `--${name}`;
  if (value === undefined || value === false) return [];
  if (value === true) return [option];
  if (name === 'export-on-exit') return [value === '' ? option : `${option}=${resolve(String(value))}`];
  if (value === '' && PATHS.has(name)) throw new UsageError(`${option} is empty; name a path`);
  return [option, PATHS.has(name) ? resolve(String(value)) : String(value)];
}

/**
 * The kept settings, then the project file. The project's own instance uses the project's port. Any other gets a free
 * one, so that two instances of a project don't conflict.
 */
export function preferredOptions(
  kept: KeptSettings,
  project: ProjectContent | undefined,
  isProjectsInstance: boolean,
): string[] {
  if (project === undefined) return settingOptions(kept);
  return [
    ...settingOptions(kept),
    ...projectOptions(project),
    ...(project.ephemeral === true ? ['--ephemeral'] : []),
    '--port',
    String((isProjectsInstance ? project.port : undefined) ?? 0),
  ];
}

/** The options of a project file that apply to every instance started in it. */
export function projectOptions({ seed, clock, settings }: ProjectContent): string[] {
  return [
    ...settingOptions({ ...settings, ...defined({ seed }) }),
    ...(clock === undefined ? [] : ['--clock', clock]),
  ];
}

function checkedAssignment(assignment: string): string {
  const equals = assignment.indexOf('=');
  if (equals < 1) throw new UsageError('--set takes NAME=VALUE');
  settingName(assignment.slice(0, equals));
  return assignment;
}

export interface StartPlan {
  readonly start: DaemonStart;
  /** The daemon's options from the flags and the project file, without kept settings. */
  readonly asked: readonly string[];
  readonly fixtures: FixturesToRun;
  readonly markFile: string | undefined;
}

/** Throws UsageError for a setting or a seed that the daemon would refuse, whether it has to be started or runs. */
async function judgeFlags({ set = [], seed }: Pick<StartFlags, 'set' | 'seed'>): Promise<void> {
  const given = set.map((assignment) => {
    const equals = checkedAssignment(assignment).indexOf('=');
    return [assignment.slice(0, equals), assignment.slice(equals + 1)] as const;
  });
  await judge({ ...Object.fromEntries(given), ...defined({ seed }) }, (name, why) =>
    name === 'seed' ? new UsageError(`--seed: ${why}`) : new UsageError(`--set: ${why}`),
  );
}

const ON_DISK = ['data-dir', 'key-file', 'require-keychain', 'accept-loss'] as const;

/** Throws UsageError for a flag about the store or the key of an instance that keeps neither. */
function refuseOnDisk(flags: StartFlags): void {
  const name = ON_DISK.find((each) => flags[each] !== undefined && flags[each] !== false);
  if (name === undefined) return;
  throw new UsageError(
    `--${name} is for an instance on disk, and this one is in memory`,
    'it is in memory with --ephemeral, or with ephemeral: true in the project file',
  );
}

/** Throws UsageError, and CliError for a project that needs trust and doesn't have it. */
export async function planStart(
  flags: StartFlags,
  target: ChosenInstance,
  { root, environment }: { root: string; environment: CliEnvironment },
): Promise<StartPlan> {
  const project = await environment.project();
  await judgeProject(project);
  await judgeFlags(flags);
  const isEphemeral = flags.ephemeral || project?.ephemeral === true;
  if (isEphemeral) refuseOnDisk(flags);
  const isProjectsInstance = project?.instance === target.name;
  const kept = await judgedSettings(environment.bases);
  const { isEmpty, markFile } = beginningOf({
    isEphemeral,
    storeFile: target.paths.storeFile,
    dataDirectory: flags['data-dir'],
  });
  const fixtures = await trustedFixtures(flags, { project, isEmpty }, environment);
  return {
    start: {
      root,
      paths: target.paths,
      options: daemonOptions(flags, target.name, preferredOptions(kept, project, isProjectsInstance)),
      environment: daemonEnvironment(),
    },
    asked: daemonOptions(flags, target.name, preferredOptions({}, project, isProjectsInstance)),
    fixtures,
    markFile,
  };
}
