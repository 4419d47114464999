/** What may stand in a project file. Mistakes are told by file and member; values are not repeated. */
import { resolve } from 'node:path';
import { isJsonObject, type JsonValue } from '../../kernel/json.ts';
import { INSTANCE_NAME } from '../../kernel/paths.ts';
import { UsageError } from '../shell/failure.ts';
import { SETTING_NAMES } from '../config/preferences.ts';
import { isStartTime } from '../shell/durations.ts';
import { nearest } from '../../kernel/nearest.ts';
import type { FoundProject } from './find.ts';

export interface ProjectContent {
  readonly instance?: string;
  readonly port?: number;
  readonly seed?: string;
  readonly clock?: string;
  readonly ephemeral?: boolean;
  /** Whole paths. */
  readonly fixtures: readonly string[];
  /** Variables of the fixtures. */
  readonly set: Readonly<Record<string, string>>;
  /** By dotted name, as `start --set` takes them. */
  readonly settings: Readonly<Record<string, string>>;
}

type Members = { readonly [name: string]: JsonValue };

const MEMBERS = ['instance', 'port', 'seed', 'clock', 'ephemeral', 'fixtures', 'set', 'settings'] as const;
const PROJECT_SETTINGS = SETTING_NAMES.filter((name) => name !== 'seed');
const VARIABLE = /^[A-Za-z_]\w{0,63}$/;
const LARGEST_PORT = 65_535;
const LONGEST_NAME = 60;

/** Throws UsageError. */
export function checkProject(value: unknown, { directory, file }: FoundProject): ProjectContent {
  if (!isJsonObject(value))
    throw new UsageError(`${file} holds no object with members such as instance or seed`);
  const refuse = (member: string, wants: string): never => {
    throw new UsageError(`${file}: ${member} ${wants}`);
  };
  for (const name of Object.keys(value)) requireKnown(name, MEMBERS, '', refuse);
  const { instance, port, seed, clock, ephemeral } = value;
  if (instance !== undefined && !(typeof instance === 'string' && INSTANCE_NAME.test(instance))) {
    refuse('instance', 'is 1 to 64 of a-z, 0-9, dot, underscore, hyphen, and begins with a letter or digit');
  }
  if (port !== undefined && !(Number.isInteger(port) && Number(port) >= 0 && Number(port) <= LARGEST_PORT)) {
    refuse('port', `is a whole number from 0 to ${LARGEST_PORT}`);
  }
  if (!(seed === undefined || isPlain(seed))) return refuse('seed', 'is a text or a whole number');
  if (clock !== undefined && !(typeof clock === 'string' && isStartTime(clock))) {
    refuse('clock', 'is an ISO 8601 time, such as 2026-01-31T12:00:00Z');
  }
  if (ephemeral !== undefined && typeof ephemeral !== 'boolean') refuse('ephemeral', 'is true or false');
  return {
    ...(instance !== undefined && { instance: instance as string }),
    ...(port !== undefined && { port: port as number }),
    ...(seed !== undefined && { seed: String(seed) }),
    ...(clock !== undefined && { clock: clock as string }),
    ...(ephemeral !== undefined && { ephemeral: ephemeral as boolean }),
    fixtures: fixturesOf(value, directory, refuse),
    set: variablesOf(value, refuse),
    settings: settingsOf(value, refuse),
  };
}

type Refuse = (member: string, wants: string) => never;

function fixturesOf({ fixtures = [] }: Members, directory: string, refuse: Refuse): string[] {
  if (!Array.isArray(fixtures)) return refuse('fixtures', 'is a list of paths');
  return fixtures.map((path, index) =>
    typeof path === 'string' && path !== '' && !path.includes('\0')
      ? resolve(directory, path)
      : refuse(`fixtures[${index}]`, 'is a path, from the folder of this file'),
  );
}

function variablesOf({ set = {} }: Members, refuse: Refuse): Record<string, string> {
  return textsOf(set, 'set', refuse, (name, value) => {
    if (!VARIABLE.test(name)) refuse('set', 'names its variables with letters, digits and underscores');
    return isPlain(value) || typeof value === 'boolean'
      ? String(value)
      : refuse(`set.${name}`, 'is a text, a number, true or false');
  });
}

function settingsOf({ settings = {} }: Members, refuse: Refuse): Record<string, string> {
  return textsOf(settings, 'settings', refuse, (name, value) => {
    requireKnown(name, PROJECT_SETTINGS, 'settings.', refuse);
    if (Array.isArray(value) && value.every((entry) => typeof entry === 'string'))
      return JSON.stringify(value);
    return isPlain(value) || typeof value === 'boolean'
      ? String(value)
      : refuse(`settings.${name}`, 'is a text, true, false or a list of texts');
  });
}

function textsOf(
  value: JsonValue,
  member: string,
  refuse: Refuse,
  textOf: (name: string, value: JsonValue) => string,
): Record<string, string> {
  if (!isJsonObject(value)) return refuse(member, 'is an object');
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, textOf(name, inner)]));
}

function requireKnown(name: string, known: readonly string[], prefix: string, refuse: Refuse): void {
  if (known.includes(name)) return;
  const meant = nearest(name.slice(0, LONGEST_NAME), known);
  const shown = prefix + (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name);
  refuse(
    shown,
    meant === undefined ? `is none of ${known.join(', ')}` : `is not known; did you mean ${prefix}${meant}?`,
  );
}

function isPlain(value: JsonValue): value is string | number {
  return (typeof value === 'string' && value !== '') || Number.isSafeInteger(value);
}
