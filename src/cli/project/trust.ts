/**
 * Agreement to what a project opens: asked for once per content at a terminal and remembered as a digest in the user's
 * state folder; nobody at a terminal means no, unless a flag or a variable says yes for this time.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Fixture } from '../../client/fixtures/index.ts';
import { readPrivateJson } from '../../client/private-file.ts';
import { writePrivateFile } from '../../kernel/private-write.ts';
import { printable, shortened } from '../../kernel/terminal-text.ts';
import type { CliEnvironment } from '../shell/environment.ts';
import { EXIT } from '../shell/exit-codes.ts';
import { CliError } from '../shell/failure.ts';
import { keptSettings } from '../config/preferences.ts';
import { fixtureOpenings, settingOpenings, type Opening } from './openings.ts';
import type { Project } from './project.ts';

export interface TrustQuestion {
  readonly project: Project | undefined;
  /** Those of the project that are going to run. */
  readonly fixtures: readonly Fixture[];
  /** Whether the project's settings are going to be applied. */
  readonly hasSettings: boolean;
  /** `--trust-project`. */
  readonly isTrusted: boolean;
}

/** Goes on where nothing is opened, or somebody has agreed to it. Throws CliError `project_untrusted`. */
export async function requireTrust(
  { project, fixtures, hasSettings, isTrusted }: TrustQuestion,
  environment: CliEnvironment,
): Promise<void> {
  if (project === undefined || isTrusted || environment.trustsProjects) return;
  const openings = [
    ...(hasSettings ? settingOpenings(project, keptSettings(environment.bases)) : []),
    ...fixtureOpenings(fixtures, project),
  ];
  if (openings.length === 0) return;
  const agreed = agreements(environment);
  const digest = digestOf(openings);
  if (agreed.has(digest)) return;
  if (!environment.isInteractive) throw untrusted(project, openings);
  if (!(await agrees(project, openings))) {
    throw new CliError('Not agreed to; nothing was started or changed', {
      code: 'cancelled',
      exitCode: EXIT.failed,
      hint: `the question comes from ${project.file}; --set gives settings of your own`,
    });
  }
  agreed.add(digest);
}

async function agrees({ file }: Project, openings: readonly Opening[]): Promise<boolean> {
  const lines = openings.map(({ place, what }) => `  ${printable(place)}: ${shownWhat(what)}\n`);
  process.stderr.write(`${printable(file)} opens what is closed by default:\n${lines.join('')}`);
  const { default: confirm } = await import('@inquirer/confirm');
  const message = 'Let it do so, now and whenever it asks for just this?';
  return await confirm({ message, default: false }, { output: process.stderr });
}

function untrusted({ file }: Project, openings: readonly Opening[]): CliError {
  return new CliError(`${file} opens what is closed by default, and nobody has agreed to it`, {
    code: 'project_untrusted',
    exitCode: EXIT.needsInput,
    context: Object.fromEntries(openings.map(({ place, what }) => [place, shownWhat(what)])),
    hint: 'at a terminal kyclone asks once; --trust-project agrees for this time, KYCLONE_TRUST_PROJECT=1 in a pipeline',
  });
}

const LONGEST_SHOWN = 200;

function shownWhat(what: string): string {
  return shortened(printable(what), LONGEST_SHOWN);
}

/** The digest of everything that is opened, in whatever order it stands. */
function digestOf(openings: readonly Opening[]): string {
  const texts = openings.map((opening) => JSON.stringify(opening)).sort();
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex');
}

const MOST_KEPT = 1_000;

/** What this user has agreed to so far. */
function agreements({ bases }: CliEnvironment) {
  const file = join(bases.state, 'trusted-projects.json');
  const kept = readPrivateJson(file)?.['agreed'];
  const digests = Array.isArray(kept) ? kept.filter((one): one is string => typeof one === 'string') : [];
  return {
    has: (digest: string) => digests.includes(digest),
    add(digest: string) {
      const agreed = [...digests, digest].slice(-MOST_KEPT);
      writePrivateFile(file, `${JSON.stringify({ agreed })}\n`);
    },
  };
}
