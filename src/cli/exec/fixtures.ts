/** Fixtures of `start` and `exec`: calls that are made once the instance is ready, before anybody else calls it. */
import { existsSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createClient, type Client } from '../../client/client.ts';
import type { Fixture } from '../../client/fixtures/index.ts';
import { connectionOf, type DaemonAccess } from '../shell/daemon-access.ts';
import { writePrivateFile } from '../../kernel/private-write.ts';
import { CliError, describeFailure, UsageError } from '../shell/failure.ts';
import { readSet } from '../fixtures/set.ts';
import type { ProjectContent, Project } from '../project/project.ts';
import type { CliEnvironment } from '../shell/environment.ts';
import { requireTrust } from '../project/trust.ts';

export interface FixtureRun {
  /** Whole paths, in the order in which they are to run. */
  readonly files: readonly string[];
  /** The project names the first so many of these; the command line names the others. */
  readonly ofProject: number;
  /** Variables that were given for these fixtures: each has to be one of theirs. */
  readonly set: Readonly<Record<string, string>>;
  /** Variables of the project, for those of the fixtures that have them. */
  readonly projectSet: Readonly<Record<string, string>>;
}

export const NO_FIXTURES: FixtureRun = { files: [], ofProject: 0, set: {}, projectSet: {} };

/**
 * The fixtures, read before anything is started, so that one that can't run is found out. Throws as `runFixtures` does
 * before its calls.
 */
export async function requireFixtures(run: FixtureRun): Promise<readonly Fixture[]> {
  if (run.files.length === 0) return [];
  // Loaded when there is one: it reads YAML.
  const { loadFixtures } = await import('../fixtures/run.ts');
  try {
    return loadFixtures(run.files, run);
  } catch (error) {
    throw withConsequence(error, 'nothing was started');
  }
}

interface Failing {
  /** The end of the message: what becomes of the instance and of the command. */
  readonly consequence: string;
  /** The mark of a lasting instance that was empty: it is reset, and the next start runs the fixtures again. */
  readonly markFile?: string | undefined;
}

/** Runs fixtures against an instance. Throws the failure of the first call or expectation that fails. */
export async function applyFixtures(
  run: FixtureRun,
  access: DaemonAccess,
  { consequence, markFile }: Failing,
): Promise<void> {
  if (run.files.length === 0) return;
  const { runFixtures } = await import('../fixtures/run.ts');
  const client = createClient(connectionOf(access, false));
  try {
    await runFixtures(run.files, { ...run, client, onStep: () => undefined });
    if (markFile !== undefined) rmSync(markFile, { force: true });
  } catch (error) {
    if (markFile !== undefined) await beginAnew(client, markFile);
    throw withConsequence(error, consequence);
  }
}

/** What the failed ones have made would else be taken for what the next start finds. */
async function beginAnew(client: Client, markFile: string): Promise<void> {
  try {
    await client.call('POST /_kyclone/reset', { body: { hard: true } });
    writePrivateFile(markFile, '');
  } catch {
    // The report gives the reason why the fixtures failed.
  }
}

/** The failure without what leads nowhere: the journal goes with the instance. */
function withConsequence(error: unknown, consequence: string): CliError {
  const { message, code, context, exitCode } = describeFailure(error);
  const isMissing = code === 'fixture_variable';
  const hint = isMissing ? `${consequence}; --fixture-set NAME=VALUE gives it` : consequence;
  return new CliError(message, { code, context, exitCode, hint });
}

interface FixtureFlags {
  readonly fixture?: readonly string[] | undefined;
  readonly 'fixture-set'?: readonly string[] | undefined;
  readonly import?: string | undefined;
}

/**
 * The project's fixtures, then those that were named. What the project describes is where an instance begins: its
 * fixtures run on an instance that is empty, and not where a snapshot says where to begin. Throws UsageError.
 */
export function fixturesFor(
  flags: FixtureFlags,
  project: ProjectContent | undefined,
  isEmpty: boolean,
): FixtureRun {
  const ofProject = isEmpty && flags.import === undefined ? (project?.fixtures ?? []) : [];
  const named = (flags.fixture ?? []).map((file) => resolve(file));
  const set = readSet(flags['fixture-set'] ?? [], '--fixture-set');
  if (Object.keys(set).length > 0 && named.length === 0 && (project?.fixtures ?? []).length === 0) {
    throw new UsageError('--fixture-set is for fixtures, and there is none', '--fixture FILE names one');
  }
  return {
    files: [...ofProject, ...named],
    ofProject: ofProject.length,
    set,
    projectSet: project?.set ?? {},
  };
}

export interface Beginning {
  /** Whether a start finds nothing that an earlier one has left. */
  readonly isEmpty: boolean;
  /** Where it is noted that the fixtures of the first start have failed; undefined where nothing lasts or is new. */
  readonly markFile: string | undefined;
}

export function beginningOf(start: {
  readonly isEphemeral: boolean;
  readonly storeFile: string;
  readonly dataDirectory: string | undefined;
}): Beginning {
  if (start.isEphemeral) return { isEmpty: true, markFile: undefined };
  const store = start.dataDirectory === undefined ? start.storeFile : join(start.dataDirectory, 'vault.db');
  const markFile = join(dirname(store), 'fixtures-failed');
  const isEmpty = !existsSync(store) || existsSync(markFile);
  return { isEmpty, markFile: isEmpty ? markFile : undefined };
}

/** Throws UsageError, and CliError for a project that opens something unasked. */
export async function trustedFixtures(
  flags: Parameters<typeof fixturesFor>[0] & { readonly 'trust-project'?: boolean | undefined },
  { project, isEmpty }: { project: Project | undefined; isEmpty: boolean },
  environment: CliEnvironment,
): Promise<FixtureRun> {
  const fixtures = fixturesFor(flags, project, isEmpty);
  await requireTrust(
    {
      project,
      fixtures: (await requireFixtures(fixtures)).slice(0, fixtures.ofProject),
      hasSettings: true,
      isTrusted: flags['trust-project'] === true,
    },
    environment,
  );
  return fixtures;
}
