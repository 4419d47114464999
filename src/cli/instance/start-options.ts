/**
 * How an instance is started that lasts: the flags of `start` and `restart`, the project file and what is kept, as
 * options of the daemon.
 */
import { resolve } from 'node:path';
import { boolean, string } from '@oclif/core/flags';
import { DEFAULT_PORT } from '../../contract/facts/control.ts';
import { integerFlag, trustFlag } from '../shell/flags.ts';
import { UsageError } from '../shell/failure.ts';
import { settingName, settingOptions, type Settings, judgedSettings } from '../config/preferences.ts';
import { type ProjectContent, judgeProject } from '../project/project.ts';
import { isStartTime } from '../shell/times.ts';
import type { DaemonStart } from './daemon-process.ts';
import { daemonEnvironment, type ChosenInstance, type CliEnvironment } from '../shell/environment.ts';
import { beginningOf, type FixtureRun, trustedFixtures } from '../exec/fixtures.ts';

/** What `exec` takes, too: its instance never is on disk. */
export const throwAwayFlags = {
  ...trustFlag,
  ephemeral: boolean({ summary: 'keep all data in memory; it is gone when the daemon ends' }),
  port: integerFlag({
    summary: `port to listen on, 0 for a free one (default ${DEFAULT_PORT})`,
    min: 0,
    max: 65_535,
    helpValue: 'N',
  }),
  host: string({
    summary: 'address to listen on instead of loopback; needs --allow-remote',
    helpValue: 'HOST',
  }),
  'allow-remote': boolean({ summary: 'let other machines reach it' }),
  seed: string({ summary: 'make ids repeat from run to run', helpValue: 'TEXT' }),
  clock: string({
    summary: 'start with the clock frozen at this time, such as 2026-01-31T12:00:00Z',
    helpValue: 'TIME',
    parse: (text) =>
      isStartTime(text)
        ? Promise.resolve(text)
        : Promise.reject(new UsageError('--clock takes an ISO 8601 time, such as 2026-01-31T12:00:00Z')),
  }),
  import: string({ summary: 'begin with the state of this snapshot', helpValue: 'FILE' }),
  'with-access': boolean({
    summary: 'take in the keys, receivers, hosts, origins and egress of the --import file, too',
  }),
  'export-on-exit': string({
    summary: 'save the state as a snapshot when it stops (default: to the --import file)',
    helpValue: 'FILE',
  }),
  'api-key-file': string({ summary: 'file with the API keys to start with, one a line', helpValue: 'FILE' }),
  fixture: string({
    summary: 'a fixture to run as soon as it is ready; repeatable',
    helpValue: 'FILE',
    multiple: true,
    multipleNonGreedy: true,
  }),
  'fixture-set': string({
    summary: 'a variable of the fixtures; repeatable',
    helpValue: 'NAME=VALUE',
    multiple: true,
    multipleNonGreedy: true,
  }),
  set: string({
    summary: 'a setting for this start, such as egress.policy=strict; repeatable',
    helpValue: 'NAME=VALUE',
    multiple: true,
    multipleNonGreedy: true,
  }),
};

export const startFlags = {
  ...throwAwayFlags,
  'data-dir': string({ summary: 'keep the encrypted store here', helpValue: 'DIR' }),
  'key-file': string({ summary: 'keep the vault key in this file', helpValue: 'FILE' }),
  'require-keychain': boolean({ summary: 'refuse to start without the OS keychain' }),
};

/** Flags of these whose value may be left out. */
export const OPTIONAL_VALUES = ['export-on-exit'] as const;

export interface StartFlags {
  readonly ephemeral: boolean;
  readonly port?: number | undefined;
  readonly host?: string | undefined;
  readonly 'allow-remote': boolean;
  readonly seed?: string | undefined;
  readonly clock?: string | undefined;
  readonly import?: string | undefined;
  readonly 'with-access'?: boolean;
  /** The empty text where no file was given. */
  readonly 'export-on-exit'?: string | undefined;
  readonly 'data-dir'?: string | undefined;
  readonly 'trust-project'?: boolean;
  readonly 'api-key-file'?: string | undefined;
  readonly 'key-file'?: string | undefined;
  readonly 'require-keychain'?: boolean;
  readonly fixture?: string[] | undefined;
  readonly 'fixture-set'?: string[] | undefined;
  readonly set?: string[] | undefined;
}

/**
 * The daemon's options; what is kept or in the project file comes first, so that what was typed wins. Paths are those
 * of the caller's folder. Throws UsageError.
 */
export function daemonOptions(flags: StartFlags, instance: string, preferred: readonly string[]): string[] {
  const value = (name: string, text: string | number | undefined) =>
    text === undefined ? [] : [`--${name}`, String(text)];
  const path = (name: 'import' | 'data-dir' | 'api-key-file' | 'key-file') => {
    const given = flags[name];
    if (given === '') throw new UsageError(`--${name} is empty; a path is to be named`);
    return given === undefined ? [] : [`--${name}`, resolve(given)];
  };
  const given = (name: string, isGiven = false) => (isGiven ? [`--${name}`] : []);
  return [
    ...value('instance', instance),
    ...preferred,
    ...given('ephemeral', flags.ephemeral),
    ...value('port', flags.port),
    ...value('host', flags.host),
    ...given('allow-remote', flags['allow-remote']),
    ...value('seed', flags.seed),
    ...value('clock', flags.clock),
    ...path('import'),
    ...given('with-access', flags['with-access']),
    ...exportOption(flags['export-on-exit']),
    ...path('data-dir'),
    ...path('api-key-file'),
    ...path('key-file'),
    ...given('require-keychain', flags['require-keychain']),
    ...(flags.set ?? []).flatMap((assignment) => ['--set', checkedAssignment(assignment)]),
  ];
}

/**
 * What is kept, then what the project file says. The project's own instance is at the project's port, any other at one
 * that the system gives: two instances of a project never want the same.
 */
export function preferredOptions(
  kept: Settings,
  project: ProjectContent | undefined,
  isProjectsInstance: boolean,
): string[] {
  if (project === undefined) return settingOptions(kept);
  return [
    ...settingOptions(kept),
    ...projectOptions(project),
    ...(project.ephemeral === true ? ['--ephemeral'] : []),
    ...['--port', String((isProjectsInstance ? project.port : undefined) ?? 0)],
  ];
}

/** What of a project file goes for any instance that is started in it. */
export function projectOptions({ seed, clock, settings }: ProjectContent): string[] {
  return [
    ...settingOptions({ ...settings, ...(seed !== undefined && { seed }) }),
    ...(clock === undefined ? [] : ['--clock', clock]),
  ];
}

function exportOption(file: string | undefined): string[] {
  if (file === undefined) return [];
  return [file === '' ? '--export-on-exit' : `--export-on-exit=${resolve(file)}`];
}

function checkedAssignment(assignment: string): string {
  const equals = assignment.indexOf('=');
  if (equals < 1) throw new UsageError('--set takes NAME=VALUE');
  settingName(assignment.slice(0, equals));
  return assignment;
}

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
