/**
 * What of a project lets something in or out that would else stay where it is. A project file comes with a clone, from
 * the author: everything that is not known to be harmless counts.
 */
import { realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import type { Fixture, FixtureStep } from '../../client/fixtures/index.ts';
import type { Settings } from '../config/preferences.ts';
import type { Project } from './project.ts';

export interface Opening {
  /** As a person finds it: the setting's name, or the fixture's path and the step. */
  readonly place: string;
  readonly what: string;
  /** Everything that was agreed to with it; a change of it is asked about again. */
  readonly content: unknown;
}

/** `kept`: the user's own settings, which a project may narrow and not widen. */
export function settingOpenings({ settings }: Pick<Project, 'settings'>, kept: Settings): Opening[] {
  return Object.entries(settings)
    .filter(([name, value]) => opens(name, value, kept))
    .map(([name, value]) => ({ place: `settings.${name}`, what: value, content: value }));
}

const POLICIES = ['strict', 'local', 'open'];
const DEFAULT_POLICY = 'local';

function opens(name: string, value: string, kept: Settings): boolean {
  if (name.startsWith('vocabulary.') || name === 'events.extended' || name === 'seed') return false;
  if (name === 'egress.policy') {
    const rank = POLICIES.indexOf(value);
    return rank === -1 || rank > POLICIES.indexOf(kept[name] ?? DEFAULT_POLICY);
  }
  return !(value === 'false' || value === '[]');
}

/** What the fixtures that a project names would do, beside making data of their own. */
export function fixtureOpenings(
  fixtures: readonly Fixture[],
  { directory }: Pick<Project, 'directory'>,
): Opening[] {
  return fixtures.flatMap((fixture) => {
    const name = relative(directory, fixture.file);
    const outside = isInside(fixture.file, directory)
      ? []
      : [{ place: name, what: 'a file outside the folder of the project', content: null }];
    const steps = fixture.steps.filter(reachesOut).map((step) => ({
      place: `${name}, step ${step.id}`,
      what: `${step.method} ${step.path}`,
      content: step,
    }));
    return [...outside, ...steps];
  });
}

/** API paths that begin with these store what they receive; the integrations send it on. */
const NOUNS = new Set(['users', 'businesses', 'bank_links', 'onboarding', 'onboardings']);
/** Calls of the control plane that change nothing but answers of the API. */
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
/** A word of a path. A reference fills a segment and no more, so that the words around it stay where they are. */
const PLAIN_WORD = /^\.*[A-Za-z0-9_:-][A-Za-z0-9_:.-]*$/;

/** Whether a call may change who comes in, or send something elsewhere. A path that can't be judged may. */
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
