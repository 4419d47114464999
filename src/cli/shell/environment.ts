/** The only place of the CLI that reads the process's environment and checks its streams. */
import { attempt } from '../../kernel/attempt.ts';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import {
  homeFolder,
  INSTANCE_NAME,
  instancePaths,
  ownPathBases,
  type InstancePaths,
} from '../../kernel/files/paths.ts';
import { UsageError } from './failure.ts';
import { findProjectFile } from '../project/find.ts';
import type { Project } from '../project/project.ts';

/** The folders where shells look for a user's completions. */
export interface ShellFolders {
  /** The folder of bash-completion. */
  readonly bash: string;
  /** The folder of `.zshrc`. */
  readonly zsh: string;
  readonly data: string;
  readonly fish: string;
  readonly powershell: string;
}

export type CliEnvironment = ReturnType<typeof readEnvironment>;

export interface ChosenInstance {
  readonly name: string;
  readonly paths: InstancePaths;
}

export const DEFAULT_INSTANCE = 'default';

/** An empty variable counts as absent. */
export function readEnvironment() {
  const { env } = process;
  const text = (name: string) => env[name] || undefined;
  return {
    /** Throws NoHomeError on access. */
    get bases() {
      return ownPathBases(env, process.platform);
    },
    instance: text('KYCLONE_INSTANCE'),
    baseUrl: text('KYCLONE_BASE_URL'),
    apiKey: text('KYCLONE_API_KEY'),
    /** Set by `kyclone exec`. Otherwise KYCLONE_API_KEY is used as the live key too. */
    liveApiKey: text('KYCLONE_LIVE_API_KEY'),
    controlToken: text('KYCLONE_CONTROL_TOKEN'),
    /** The person at the keyboard, unless --as is given. */
    operator: text('KYCLONE_ACTOR'),
    /** The credentials of `users cip` for a partner. */
    partnerApiKey: text('KYCLONE_PARTNER_API_KEY'),
    partnerApiSecret: text('KYCLONE_PARTNER_API_SECRET'),
    /** The credential of `compare` for a remote sandbox. */
    remoteApiKey: text('KYCLONE_REMOTE_API_KEY'),
    /** The secret for `webhooks verify`. */
    webhookSecret: text('KYCLONE_WEBHOOK_SECRET'),
    /** Whether there is one here; only that of the daemon counts. */
    hasSnapshotKey: text('KYCLONE_SNAPSHOT_KEY') !== undefined,
    /** How long Tab waits for the daemon, as a length of time with its unit. */
    completionTimeout: text('KYCLONE_COMPLETION_TIMEOUT'),
    /** Whether to show the origin of an unexpected failure. */
    isDebugging: isDebugging(),
    shell: text('SHELL'),
    /** Throws NoHomeError on access. */
    get shellFolders() {
      return shellFolders(text, homeFolder());
    },
    /**
     * A prompt is redrawn while it is answered, which a dumb terminal can't show. Evaluated on access, because Node
     * creates a stream for the check.
     */
    get isInteractive() {
      return process.stdin.isTTY && text('CI') === undefined && text('TERM') !== 'dumb';
    },
    /** Confirms everything that a project file opens; see project/trust.ts. */
    trustsProjects: env['KYCLONE_TRUST_PROJECT'] === '1',
    /** Whether the user who typed the command can see a browser. */
    hasDesktop: hasDesktop(text, process.platform),
    hasKeychainBus: process.platform !== 'linux' || text('DBUS_SESSION_BUS_ADDRESS') !== undefined,
    /** The project of the current folder, searched once. Rejects with UsageError for a bad file. */
    project: projectOfHere(),
  };
}

/** False in CI and over ssh. On Linux and similar systems, requires a display. */
function hasDesktop(text: (name: string) => string | undefined, platform: NodeJS.Platform): boolean {
  if (text('CI') !== undefined) return false;
  if (['SSH_CONNECTION', 'SSH_CLIENT', 'SSH_TTY'].some((name) => text(name) !== undefined)) return false;
  const isDesktopSystem = platform === 'darwin' || platform === 'win32';
  return isDesktopSystem || text('DISPLAY') !== undefined || text('WAYLAND_DISPLAY') !== undefined;
}

/** Whether to show the origin of an unexpected failure. */
export function isDebugging(): boolean {
  return Boolean(process.env['KYCLONE_DEBUG']);
}

function projectOfHere(): () => Promise<Project | undefined> {
  let project: Promise<Project | undefined> | undefined;
  return () => (project ??= loadProject());
}

async function loadProject(): Promise<Project | undefined> {
  const here = currentDirectory();
  const found = here === undefined ? undefined : findProjectFile(here);
  if (found === undefined) return undefined;
  const { readProject } = await import('../project/project.ts');
  return await readProject(found);
}

/** Undefined if the folder was removed meanwhile. */
function currentDirectory(): string | undefined {
  return attempt(() => process.cwd());
}

function shellFolders(text: (name: string) => string | undefined, home: string): ShellFolders {
  const data = text('XDG_DATA_HOME') ?? join(home, '.local', 'share');
  const config = text('XDG_CONFIG_HOME') ?? join(home, '.config');
  return {
    bash: text('BASH_COMPLETION_USER_DIR') ?? join(data, 'bash-completion'),
    zsh: text('ZDOTDIR') ?? home,
    data,
    fish: join(config, 'fish'),
    powershell:
      process.platform === 'win32' ? join(home, 'Documents', 'PowerShell') : join(config, 'powershell'),
  };
}

/**
 * The variable that moves a path elsewhere: the one for our own folders, or for temporary files. Undefined for any
 * other path, and if neither is known.
 */
export function variableOf(path: string): 'KYCLONE_HOME' | 'TMPDIR' | undefined {
  const isOnTheWay = (folder: string) =>
    path === folder || path.startsWith(folder + sep) || folder.startsWith(path + sep);
  if (ownFolders().some(isOnTheWay)) return 'KYCLONE_HOME';
  return isOnTheWay(tmpdir()) ? 'TMPDIR' : undefined;
}

function ownFolders(): string[] {
  const bases = attempt(() => ownPathBases(process.env, process.platform));
  return bases === undefined ? [] : [bases.data, bases.state, bases.config];
}

/** Whether to use colour on a stream: it is a terminal, and none of NO_COLOR, CI and TERM=dumb forbids it. */
export function wantsColour(stream: { readonly isTTY?: boolean }): boolean {
  const { NO_COLOR, CI, TERM } = process.env;
  return stream.isTTY === true && !NO_COLOR && !CI && TERM !== 'dumb';
}

/** Whether a stream is a terminal with a user. */
export function isTerminal(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true && !process.env['CI'];
}

/** Whether a stream can show redrawn output: it is a terminal, and neither CI nor TERM=dumb forbids it. */
export function canRedraw(stream: { readonly isTTY?: boolean }): boolean {
  return isTerminal(stream) && process.env['TERM'] !== 'dumb';
}

export interface Pipeline {
  /** GitHub Actions, or a service whose runner reads the same commands. */
  readonly isGitHub: boolean;
  /** The file to which a step's summary is appended, as Markdown. */
  readonly summaryFile: string | undefined;
}

/** The pipeline in which this process is a step. */
export function pipelineOf(): Pipeline {
  const { GITHUB_ACTIONS, GITHUB_STEP_SUMMARY } = process.env;
  return { isGitHub: GITHUB_ACTIONS === 'true', summaryFile: GITHUB_STEP_SUMMARY || undefined };
}

/** The variables that describe the terminal and what it can show. */
const TERMINAL_VARIABLES = [
  'TERM',
  'TERM_PROGRAM',
  'LC_TERMINAL',
  'KITTY_WINDOW_ID',
  'TMUX',
  'COLORFGBG',
  'INK_SCREEN_READER',
] as const;

export type TerminalVariables = Readonly<Record<(typeof TERMINAL_VARIABLES)[number], string | undefined>>;

export function terminalVariables(): TerminalVariables {
  return Object.fromEntries(
    TERMINAL_VARIABLES.map((name) => [name, process.env[name] || undefined]),
  ) as TerminalVariables;
}

/** The environment for a daemon: ours, with its paths moved below `home` if that is given. */
export function daemonEnvironment(home?: string): NodeJS.ProcessEnv {
  return home === undefined ? process.env : { ...process.env, KYCLONE_HOME: home };
}

/** They open the user's own vaults, snapshots and remote sandbox, and no other program needs them. */
const SECRETS: ReadonlySet<string> = new Set([
  'KYCLONE_VAULT_KEY',
  'KYCLONE_VAULT_PASSPHRASE',
  'KYCLONE_SNAPSHOT_KEY',
  'KYCLONE_REMOTE_API_KEY',
]);

/** Our environment without the secrets, for a program that isn't ours. */
export function foreignEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !SECRETS.has(name)));
}

/** Begins the variables with the outputs of the fixtures of `kyclone exec`. */
export const OUTPUT_PREFIX = 'KYCLONE_OUT_';

/**
 * Where programs would reach the instance through a proxy: NO_PROXY and no_proxy, of which each program reads one, with
 * its host added. What has nothing to add is left out.
 */
export function noProxyVariables(baseUrl: string, env = process.env): Record<string, string> {
  if (!Object.entries(env).some(([name, value]) => /^(?:http|all)_proxy$/i.test(name) && value)) return {};
  const { hostname } = new URL(baseUrl);
  const hosts = hostname === '127.0.0.1' ? [hostname, 'localhost'] : [hostname];
  return Object.fromEntries(
    (['NO_PROXY', 'no_proxy'] as const).flatMap((name) => {
      const current = env[name] || env.NO_PROXY || env['no_proxy'] || '';
      const entries = current.split(/[\s,]+/).filter(Boolean);
      const missing = entries.includes('*') ? [] : hosts.filter((host) => !entries.includes(host));
      const value = [...entries, ...missing].join(',');
      return env[name] && missing.length === 0 ? [] : [[name, value]];
    }),
  );
}

/**
 * The environment for a command of `kyclone exec`: ours without secrets, with these variables in place of those that
 * name another instance.
 */
export function commandEnvironment(variables: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const others = Object.entries(foreignEnvironment()).filter(
    ([name]) => name !== 'KYCLONE_INSTANCE' && !name.startsWith(OUTPUT_PREFIX),
  );
  return { ...Object.fromEntries(others), ...variables };
}

/**
 * The instance's name and paths: from the flag, the environment or the project file; by default `default`. Throws
 * UsageError.
 */
export async function chooseInstance(
  environment: CliEnvironment,
  flag: string | undefined,
): Promise<ChosenInstance> {
  const named = flag ?? environment.instance;
  const name = named ?? (await environment.project())?.instance ?? DEFAULT_INSTANCE;
  if (!INSTANCE_NAME.test(name)) {
    throw new UsageError(
      'An instance name is 1 to 64 of a-z, 0-9, dot, underscore, hyphen, and begins with a letter or digit',
    );
  }
  return { name, paths: instancePaths(environment.bases, name) };
}
