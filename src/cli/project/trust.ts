/**
 * Finds what a project opens to or sends to others beyond the defaults, and gets the user's consent. A project file
 * comes with a clone, from its author, so everything that is not known to be harmless counts.
 *
 * At a terminal, the user is asked once for each content, and the consent is stored as a digest in the user's state
 * folder. Without a terminal the answer is no, unless a flag or a variable gives consent for this time.
 */
import { createHash } from 'node:crypto';
import { join, relative, sep } from 'node:path';
import { realpathSync } from 'node:fs';
import type { Fixture, FixtureStep } from '../../client/fixtures/index.ts';
import { readPrivateJson } from '../../client/private-file.ts';
import { writePrivateFile } from '../../kernel/files/private-write.ts';
import { printable, shortened } from '../../kernel/text/terminal-text.ts';
import type { CliEnvironment } from '../shell/environment.ts';
import { CliError } from '../shell/failure.ts';
import { keptSettings, type KeptSettings } from '../config/preferences.ts';
import type { Project } from './project.ts';
import { EGRESS_POLICIES } from '../../nouns/settings/facts.ts';

export interface ProjectOpening {
  /** The place as a user finds it: the setting's name, or the fixture's path and the step. */
  readonly place: string;
  readonly what: string;
  /** The content that the consent covers. A change needs new consent. */
  readonly content: unknown;
}

/** `kept`: the user's own settings, which a project may narrow but not widen. */
export function settingOpenings(
  { settings }: Pick<Project, 'settings'>,
  kept: KeptSettings,
): ProjectOpening[] {
  return Object.entries(settings)
    .filter(([name, value]) => opens(name, value, kept))
    .map(([name, value]) => ({ place: `settings.${name}`, what: value, content: value }));
}

const DEFAULT_POLICY = 'local';

const OPENS_NOTHING: ReadonlySet<string> = new Set([
  'events.extended',
  'webhooks.timestamp',
  'bank.refresh_limits',
  'support.reasons',
  'seed',
]);

function opens(name: string, value: string, kept: KeptSettings): boolean {
  if (name.startsWith('vocabulary.') || OPENS_NOTHING.has(name)) return false;
  if (name === 'egress.policy') {
    const ranks: readonly string[] = EGRESS_POLICIES;
    const rank = ranks.indexOf(value);
    return rank === -1 || rank > ranks.indexOf(kept[name] ?? DEFAULT_POLICY);
  }
  return !(value === 'false' || value === '[]');
}

/** The effects of a project's fixtures, apart from creating their own data. */
export function fixtureOpenings(
  fixtures: readonly Fixture[],
  { directory }: Pick<Project, 'directory'>,
): ProjectOpening[] {
  return fixtures.flatMap((fixture) => {
    const name = relative(directory, fixture.file);
    const outside = isInside(fixture.file, directory)
      ? []
      : [{ place: name, what: 'a file outside the folder of the project', content: null }];
    const steps = fixture.steps
      .filter(reachesOut)
      .map((step) => ({
        place: `${name}, step ${step.id}`,
        what: `${step.method} ${step.path}`,
        content: step,
      }));
    return [...outside, ...steps];
  });
}

/** API paths that begin with these store what they receive. The integrations below them send data on. */
const NOUNS = new Set(['users', 'businesses', 'bank_links', 'onboarding', 'onboardings']);
/** Calls of the control plane that only change responses of the API. */
const CONTROL_NOUNS = new Set([
  'playbooks',
  'outcomes',
  'onboardings',
  'sessions',
  'faults',
  'clock',
  'bank_link_intents',
  'entities',
  'tokens',
  'requests',
  'events',
]);
/** A word of a path. A reference fills exactly one segment, so the words around it stay where they are. */
const PLAIN_WORD = /^\.*[A-Za-z0-9_:-][A-Za-z0-9_:.-]*$/;

/** Whether a call may change who has access, or send data elsewhere. If the path can't be judged, it may. */
function reachesOut({ method, path }: FixtureStep): boolean {
  if (method === 'GET') return false;
  const words = path
    .replace(/\$\{[^{}]*\}/g, '$')

    .replace(/\?.*$/s, '')
    .split('/')
    .slice(1);
  const [first = '', second = '', third = ''] = words;
  if (!words.every((word) => PLAIN_WORD.test(word.replaceAll('$', 'x')))) return true;
  if (first === '_kyclone') return !CONTROL_NOUNS.has(second);
  return !NOUNS.has(first) || third.includes('$') || third === 'integrations';
}

function isInside(file: string, directory: string): boolean {
  const folder = realpathSync(directory);
  return realpathSync(file).startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

export interface TrustQuestion {
  readonly project: Project | undefined;
  readonly fixtures: readonly Fixture[];
  readonly hasSettings: boolean;
  readonly isTrusted: boolean;
}

/** Returns if nothing is opened, or if the user has consented. Throws CliError `project_untrusted`. */
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
    throw new CliError('Not confirmed; nothing was started or changed', {
      code: 'cancelled',
      hint: `the question comes from ${project.file}; use --set for settings of your own`,
    });
  }
  agreed.add(digest);
}

async function agrees({ file }: Project, openings: readonly ProjectOpening[]): Promise<boolean> {
  const lines = openings.map(({ place, what }) => `  ${printable(place)}: ${shownWhat(what)}\n`);
  process.stderr.write(`${printable(file)} opens what is closed by default:\n${lines.join('')}`);
  const { default: confirm } = await import('@inquirer/confirm');
  const message = 'Allow this, now and whenever it asks for exactly the same?';
  return await confirm({ message, default: false }, { output: process.stderr });
}

function untrusted({ file }: Project, openings: readonly ProjectOpening[]): CliError {
  return new CliError(`${file} opens what is closed by default, and nobody has confirmed it`, {
    code: 'project_untrusted',
    context: Object.fromEntries(openings.map(({ place, what }) => [place, shownWhat(what)])),
    hint: 'at a terminal kyclone asks once; --trust-project agrees for this time, KYCLONE_TRUST_PROJECT=1 in a pipeline',
  });
}

const LONGEST_SHOWN = 200;

function shownWhat(what: string): string {
  return shortened(printable(what), LONGEST_SHOWN);
}

function digestOf(openings: readonly ProjectOpening[]): string {
  const texts = openings.map((opening) => JSON.stringify(opening)).sort();
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex');
}

const MOST_KEPT = 1_000;

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
