/** Fixtures of `start` and `exec`: calls that run when the instance is ready, before any other caller. */
import { existsSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createClient, type Client } from '../../client/client.ts';
import type { Fixture } from '../../client/fixtures/index.ts';
import { connectionOf, type DaemonAccess } from '../shell/daemon-access.ts';
import { writePrivateFile } from '../../kernel/files/private-write.ts';
import { CliError, describeFailure, UsageError } from '../shell/failure.ts';
import { readSet } from '../fixtures/set.ts';
import type { ProjectContent, Project } from '../project/project.ts';
import type { CliEnvironment } from '../shell/environment.ts';
import { requireTrust } from '../project/trust.ts';

export interface FixturesToRun {
  /** Absolute paths, in the order of execution. */
  readonly files: readonly string[];
  /** The project names this many of the first files; the command line names the others. */
  readonly ofProject: number;
  /** Variables given for these fixtures. Each must be declared in one of them. */
  readonly set: Readonly<Record<string, string>>;
  /** Variables of the project, for the fixtures that declare them. */
  readonly projectSet: Readonly<Record<string, string>>;
}

export const NO_FIXTURES: FixturesToRun = { files: [], ofProject: 0, set: {}, projectSet: {} };

/**
 * Reads the fixtures before anything is started, to find invalid ones early. Throws what `runFixtures` throws before
 * its calls.
 */
async function requireFixtures(run: FixturesToRun): Promise<readonly Fixture[]> {
  if (run.files.length === 0) return [];
  // Loaded only if there is a fixture, because it parses YAML.
  const { loadFixtures } = await import('../fixtures/run.ts');
  try {
    return loadFixtures(run.files, run);
  } catch (error) {
    throw withConsequence(error, 'nothing was started');
  }
}

interface Failing {
  /** The end of the message: what happens to the instance and the command. */
  readonly consequence: string;
  /**
   * The mark file of a durable instance that was empty. After a failure the instance is reset, and the next start
   * runs the fixtures again.
   */
  readonly markFile?: string | undefined;
}

/** Runs fixtures against an instance and returns their outputs as texts. Throws the first failed call or expectation. */
export async function applyFixtures(
  run: FixturesToRun,
  access: DaemonAccess,
  { consequence, markFile }: Failing,
): Promise<Readonly<Record<string, string>>> {
  if (run.files.length === 0) return {};
  const { runFixtures, textsOnly } = await import('../fixtures/run.ts');
  const client = createClient(connectionOf(access, false));
  try {
    const { outputs } = await runFixtures(run.files, { ...run, client });
    if (markFile !== undefined) rmSync(markFile, { force: true });
    return textsOnly(outputs);
  } catch (error) {
    if (markFile !== undefined) await resetAndMark(client, markFile);
    throw withConsequence(error, consequence);
  }
}

/** Otherwise the next start would take the data of failed fixtures for its own. */
async function resetAndMark(client: Client, markFile: string): Promise<void> {
  try {
    await client.call('POST /_kyclone/reset', { body: { hard: true } });
    writePrivateFile(markFile, '');
  } catch {
    // The report already says why the fixtures failed.
  }
}

/** The failure without the hint, which would point to the journal of the deleted instance. */
function withConsequence(error: unknown, consequence: string): CliError {
  const { message, code, context, exitCode } = describeFailure(error);
  const isMissing = code === 'fixture_variable';
  const hint = isMissing ? `${consequence}; set it with --fixture-set NAME=VALUE` : consequence;
  return new CliError(message, { code, context, exitCode, hint });
}

interface FixtureFlags {
  readonly fixture?: readonly string[] | undefined;
  readonly 'fixture-set'?: readonly string[] | undefined;
  readonly import?: string | undefined;
}

/**
 * The project's fixtures, then the named ones. A project describes the initial state of an instance, so its fixtures
 * run only on an empty instance, and not after a snapshot import. Throws UsageError.
 */
export function fixturesFor(
  flags: FixtureFlags,
  project: ProjectContent | undefined,
  isEmpty: boolean,
): FixturesToRun {
  const ofProject = isEmpty && flags.import === undefined ? (project?.fixtures ?? []) : [];
  const named = (flags.fixture ?? []).map((file) => resolve(file));
  const set = readSet(flags['fixture-set'] ?? [], '--fixture-set');
  if (Object.keys(set).length > 0 && named.length === 0 && (project?.fixtures ?? []).length === 0) {
    throw new UsageError('--fixture-set needs a fixture, and there is none', 'add one with --fixture FILE');
  }
  return {
    files: [...ofProject, ...named],
    ofProject: ofProject.length,
    set,
    projectSet: project?.set ?? {},
  };
}

/**
 * Whether the start finds no data of an earlier one. `markFile` records that the fixtures of the first start failed;
 * undefined if the instance is not durable or not new.
 */
export function beginningOf(start: {
  readonly isEphemeral: boolean;
  readonly storeFile: string;
  readonly dataDirectory: string | undefined;
}) {
  if (start.isEphemeral) return { isEmpty: true, markFile: undefined };
  const store = start.dataDirectory === undefined ? start.storeFile : join(start.dataDirectory, 'vault.db');
  const markFile = join(dirname(store), 'fixtures-failed');
  const isEmpty = !existsSync(store) || existsSync(markFile);
  return { isEmpty, markFile: isEmpty ? markFile : undefined };
}

/** Throws UsageError, and CliError for a project that needs trust and doesn't have it. */
export async function trustedFixtures(
  flags: Parameters<typeof fixturesFor>[0] & { readonly 'trust-project'?: boolean | undefined },
  { project, isEmpty }: { project: Project | undefined; isEmpty: boolean },
  environment: CliEnvironment,
): Promise<FixturesToRun> {
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
