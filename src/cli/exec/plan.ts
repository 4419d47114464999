/**
 * The plan of a `kyclone exec` run, from its flags, the project file and the kept settings; and the variables for the
 * command.
 */
import { instancePaths, NoHomeError, type PathBases } from '../../kernel/files/paths.ts';
import type { DaemonAccess } from '../shell/daemon-access.ts';
import {
  DEFAULT_INSTANCE,
  noProxyVariables,
  OUTPUT_PREFIX,
  type CliEnvironment,
} from '../shell/environment.ts';
import { judgedSettings, settingOptions } from '../config/preferences.ts';
import { daemonOptions, projectOptions, type StartFlags } from '../instance/start-options.ts';
import { judgeProject } from '../project/project.ts';
import { trustedFixtures, type FixturesToRun } from './fixtures.ts';
import { UsageError } from '../shell/failure.ts';
import { requireNoNul } from '../shell/shell-quoting.ts';
import type { TimeLimit } from './command.ts';
import { reportFolder } from './report-folder.ts';

type InstanceAccess = Pick<DaemonAccess, 'baseUrl' | 'keys' | 'controlToken'>;

const PLACEHOLDERS: Readonly<Record<string, (access: InstanceAccess) => string>> = {
  url: ({ baseUrl }) => baseUrl,
  port: ({ baseUrl }) => new URL(baseUrl).port || '80',
  api_key: ({ keys }) => keys.sandbox ?? '',
  live_api_key: ({ keys }) => keys.live ?? '',
  control_token: ({ controlToken }) => controlToken ?? '',
};
const PLACEHOLDER = /\{([a-z_]+)\}/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export interface EnvironmentTemplate {
  readonly name: string;
  readonly template: string;
}

/** `--env NAME=TEMPLATE`. Throws UsageError, which contains nothing of it. */
export function parseTemplates(texts: readonly string[]): EnvironmentTemplate[] {
  return texts.map((text, index) => {
    const equals = text.indexOf('=');
    const name = text.slice(0, Math.max(equals, 0));
    const template = text.slice(equals + 1);
    if (!NAME.test(name) || template.includes('\0')) {
      throw new UsageError(`--env number ${index + 1} is not of the form NAME=TEMPLATE`, 'BASE_URL={url}/v1');
    }
    for (const [, word = ''] of template.matchAll(PLACEHOLDER)) {
      if (Object.hasOwn(PLACEHOLDERS, word)) continue;
      const known = Object.keys(PLACEHOLDERS).map((each) => `{${each}}`);
      throw new UsageError(
        `--env number ${index + 1} has an unknown placeholder`,
        `placeholders: ${known.join(' ')}`,
      );
    }
    return { name, template };
  });
}

export function injectedVariables(
  access: InstanceAccess,
  templates: readonly EnvironmentTemplate[],
): Record<string, string> {
  return {
    ...noProxyVariables(access.baseUrl),
    KYCLONE_BASE_URL: access.baseUrl,
    KYCLONE_API_KEY: access.keys.sandbox ?? '',
    KYCLONE_LIVE_API_KEY: access.keys.live ?? '',
    KYCLONE_CONTROL_TOKEN: access.controlToken ?? '',
    ...Object.fromEntries(templates.map(({ name, template }) => [name, filled(template, access)])),
  };
}

/** The outputs of fixtures as variables for the command, their names in capital letters. A variable can't hold NUL. */
export function outputVariables(outputs: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(outputs).map(([name, value]) => {
      requireNoNul(name, value, 'the command was not run');
      return [OUTPUT_PREFIX + name.toUpperCase(), value];
    }),
  );
}

function filled(template: string, access: InstanceAccess): string {
  return template.replace(PLACEHOLDER, (whole, word: string) => PLACEHOLDERS[word]?.(access) ?? whole);
}

export interface ExecPlan {
  /** The package's folder. */
  readonly root: string;
  readonly command: readonly [string, ...string[]];
  readonly options: readonly string[];
  readonly templates: readonly EnvironmentTemplate[];
  readonly fixtures: FixturesToRun;
  /** The path of a log to keep. */
  readonly logFile: string | undefined;
  readonly report: string | undefined;
  readonly limit: TimeLimit | undefined;
}

interface ExecFlags extends StartFlags {
  readonly env?: string[] | undefined;
  readonly 'log-file'?: string | undefined;
  readonly report?: string | undefined;
  /** Milliseconds. */
  readonly timeout?: number | undefined;
  readonly 'kill-after': number;
}

/** Ignores the project's port and storage: this instance is in memory, on a free port. Throws UsageError. */
export async function planExec(
  flags: ExecFlags,
  command: ExecPlan['command'],
  { root, environment }: { root: string; environment: CliEnvironment },
): Promise<ExecPlan> {
  const report = flags.report === undefined ? undefined : reportFolder(flags.report, '--report');
  const { timeout: timeoutMs, 'kill-after': killAfterMs } = flags;
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
      // Uses the user's own key file and not one in the temporary home, so that the export can be opened later.
      ...(bases === undefined
        ? []
        : [`--snapshot-key-file=${instancePaths(bases, DEFAULT_INSTANCE).snapshotKeyFile}`]),
    ],
    templates: parseTemplates(flags.env ?? []),
    fixtures,
    logFile: flags['log-file'],
    report,
    limit: timeoutMs === undefined ? undefined : { timeoutMs, killAfterMs },
  };
}

/** Undefined for a user without a home folder, who can't have kept settings. The instance has a folder of its own. */
function basesOf(environment: CliEnvironment): PathBases | undefined {
  try {
    return environment.bases;
  } catch (error) {
    if (error instanceof NoHomeError) return undefined;
    throw error;
  }
}
