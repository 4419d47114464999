/**
 * The scenarios to play: fixtures (client/fixtures), built-in or the user's. A scenario goes to a remote too, so it
 * may use only what both sides have, and no key except the sandbox's.
 */
import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import {
  type Fixture,
  FixtureError,
  type FixtureFiles,
  loadFixture,
  parseFixture,
} from '../../client/fixtures/index.ts';
import { CONTROL_PREFIX } from '../../nouns/requests/facts.ts';
import { CREDENTIAL_PREFIX } from '../../kernel/ids/ids.ts';
import { UsageError } from '../shell/failure.ts';
import type { PlayedScenario } from './play.ts';
import bankLinks from './scenarios/bank-links.json' with { type: 'json' };
import businesses from './scenarios/businesses.json' with { type: 'json' };
import clientTokens from './scenarios/client-tokens.json' with { type: 'json' };
import documents from './scenarios/documents.json' with { type: 'json' };
import linkedBank from './scenarios/linked-bank.json' with { type: 'json' };
import onboardings from './scenarios/onboardings.json' with { type: 'json' };
import proxyCall from './scenarios/proxy-call.json' with { type: 'json' };
import proxy from './scenarios/proxy.json' with { type: 'json' };
import search from './scenarios/search.json' with { type: 'json' };
import users from './scenarios/users.json' with { type: 'json' };
import vault from './scenarios/vault.json' with { type: 'json' };
import type { Transcript } from './transcript.ts';

// The files that the built-in scenarios upload, by name: two small images and a text.

export const UPLOADS: FixtureFiles = new Map([
  [
    'front.png',
    png(
      'iVBORw0KGgoAAAANSUhEUgAAABAAAAAKCAIAAAAy3EnLAAAAFElEQVR42mPQiFpAEmIY1TA0NQAAN021Qdd8COoAAAAASUVORK5CYII=',
    ),
  ],
  [
    'other.png',
    png(
      'iVBORw0KGgoAAAANSUhEUgAAABAAAAAKCAIAAAAy3EnLAAAAFElEQVR42mM4UaFBEmIY1TA0NQAAx4PhAQ+m6W4AAAAASUVORK5CYII=',
    ),
  ],
  ['bill.txt', Buffer.from('A bill that is made up for a comparison\n')],
]);

function png(base64: string): Uint8Array {
  return Buffer.from(base64, 'base64');
}

const OURS: Readonly<Record<string, unknown>> = {
  users,
  vault,
  search,
  documents,
  businesses,
  'client-tokens': clientTokens,
  onboardings,
  'bank-links': bankLinks,
  'linked-bank': linkedBank,
  proxy,
  'proxy-call': proxyCall,
};

/** A text that is new in each run, so that the data of different runs doesn't collide. */
const RUN_VARIABLE = 'RUN';

/**
 * All built-in scenarios, or the given ones: built-in ones by name, others by file. Throws UsageError and
 * FixtureError.
 */
export function chooseScenarios(names: readonly string[] | undefined): PlayedScenario[] {
  const chosen = (names ?? Object.keys(OURS)).map(scenarioOf);
  const twice = chosen.find(({ name }, index) => chosen.findIndex((other) => other.name === name) !== index);
  if (twice) throw new UsageError('Two scenarios have the same name', 'rename one of the files');
  for (const { fixture } of chosen) requirePlayable(fixture);
  return chosen;
}

/**
 * The names in a transcript, all of built-in scenarios. Throws UsageError for any other: its file has to be given.
 */
export function recordedScenarios({ scenarios }: Transcript): string[] {
  const names = scenarios.map(({ name }) => name);
  if (names.every((name) => Object.hasOwn(OURS, name))) return names;
  throw new UsageError(
    'The transcript has scenarios from files',
    'name each with --scenario FILE, and built-in ones with --scenario NAME',
  );
}

function scenarioOf(name: string): PlayedScenario {
  if (Object.hasOwn(OURS, name)) {
    return {
      name,
      fixture: parseFixture(JSON.stringify(OURS[name]), { name, format: 'json', files: UPLOADS }),
    };
  }
  if (!/[./\\]/.test(name)) {
    throw new UsageError(
      `--scenario takes a file, or one of ${Object.keys(OURS).join(', ')}`,
      'write ./ before a file in this folder',
    );
  }
  return { name: basename(name).replace(/\.(?:json|ya?ml)$/i, ''), fixture: loadFixture(name) };
}

function requirePlayable({ file, steps }: Fixture): void {
  for (const [index, { as, key, path }] of steps.entries()) {
    const refuse = (message: string) =>
      new FixtureError('fixture_invalid', `${message}; it goes to the remote too`, {
        file,
        step: `step ${index + 1}`,
      });
    if (as === 'control' || as === 'live_key')
      throw refuse('a scenario is played with the key, a token or none');
    if (key !== undefined && !key.startsWith(CREDENTIAL_PREFIX.sandbox)) {
      throw refuse(`key of a scenario begins with ${CREDENTIAL_PREFIX.sandbox}`);
    }
    if (path.startsWith(CONTROL_PREFIX)) throw refuse(`only the emulator has ${CONTROL_PREFIX}`);
  }
}

export type Variables = Readonly<Record<string, string>>;

/** The given variables, and a text for this run. Throws UsageError for a variable that no scenario has. */
export function givenVariables(scenarios: readonly PlayedScenario[], given: Variables): Variables {
  const strange = Object.keys(given).filter((name) => !scenarios.some((one) => declares(one, name)));
  if (strange.length > 0) throw new UsageError(`No scenario has a variable ${strange.join(', ')}`);
  return { [RUN_VARIABLE]: randomBytes(6).toString('hex'), ...given };
}

function declares({ fixture }: PlayedScenario, name: string): boolean {
  return Object.hasOwn(fixture.vars, name);
}
