/** The fixtures that a start runs, once the person has agreed to what the project opens. */
import type { CliEnvironment } from '../environment.ts';
import type { Project } from '../project/project.ts';
import { requireTrust } from '../project/trust.ts';
import { fixturesFor, requireFixtures, type FixtureRun } from './fixtures.ts';

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
