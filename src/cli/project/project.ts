/**
 * The project that a command runs in: the checked content of its file, and the project's own instance.
 *
 * A message names the file with a line or a member, and never repeats a value. JSON is parsed without the YAML
 * package, which takes longer to load than most commands run.
 */
import { defined } from '../../kernel/defined.ts';
import {
  shapeOfJson,
  isJsonObject,
  jsonOf,
  withoutByteOrderMark,
  type JsonValue,
} from '../../kernel/text/json.ts';
import { whyRefused } from '../../kernel/system-failure.ts';
import { withoutTrailing } from '../../kernel/text/text.ts';
import { faultText } from '../shell/fields.ts';
import { decode } from '../shell/input.ts';
import { createHash } from 'node:crypto';
import { realpathSync, closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { FoundProject } from './find.ts';
import { INSTANCE_NAME } from '../../kernel/files/paths.ts';
import { UsageError } from '../shell/failure.ts';
import { SETTING_NAMES, judge } from '../config/preferences.ts';
import { parseInstant } from '../../kernel/time/civil-date.ts';
import { nearest } from '../../kernel/text/nearest.ts';
import { MIB } from '../../kernel/numbers/units.ts';

export interface ProjectContent {
  readonly instance?: string;
  readonly port?: number;
  readonly seed?: string;
  readonly clock?: string;
  readonly ephemeral?: boolean;
  /** Absolute paths. */
  readonly fixtures: readonly string[];
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
    throw new UsageError(`${file} must contain an object with members such as instance or seed`);
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
  if (clock !== undefined && !(typeof clock === 'string' && parseInstant(clock) !== undefined)) {
    refuse('clock', 'is an ISO 8601 time on a day that exists, such as 2026-01-31T12:00:00Z');
  }
  if (ephemeral !== undefined && typeof ephemeral !== 'boolean') refuse('ephemeral', 'is true or false');
  return {
    ...defined({
      instance: instance as string | undefined,
      port: port as number | undefined,
      seed: seed === undefined ? undefined : String(seed),
      clock: clock as string | undefined,
      ephemeral: ephemeral as boolean | undefined,
    }),
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
    meant === undefined
      ? `is not one of ${known.join(', ')}`
      : `is not known; did you mean ${prefix}${meant}?`,
  );
}

function isPlain(value: JsonValue): value is string | number {
  return (typeof value === 'string' && value !== '') || Number.isSafeInteger(value);
}

const LARGEST_BYTES = MIB;

/** Throws UsageError. An empty YAML file is an empty project. */
async function readProjectFile(file: string): Promise<unknown> {
  const text = textOf(file);
  if (file.endsWith('.json')) return parseJson(text, file);
  const { parseYaml } = await import('../shell/yaml-text.ts');
  return parseYaml(text, file);
}

function textOf(file: string): string {
  let bytes: Buffer;
  try {
    bytes = bytesOf(file);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} cannot be read: ${whyRefused(error)}`);
  }
  return withoutByteOrderMark(decode(bytes, file));
}

function bytesOf(file: string): Buffer {
  // Non-blocking, because opening a pipe without a writer would wait forever.
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(handle);
    if (!found.isFile()) throw new UsageError(`${file} is not a file`);
    if (found.size > LARGEST_BYTES) throw new UsageError(`${file} is larger than 1 MiB`);
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Replaces JSON.parse, which quotes the text in its messages and lets the last of two equal members win. */
function parseJson(text: string, file: string): unknown {
  const value = jsonOf(text);
  if (value === undefined) throw new UsageError(`${file} is not JSON${faultText(text)}`);
  if (shapeOfJson(text).repeated !== undefined) throw new UsageError(`${file} has a member twice`);
  return value;
}

export interface Project extends FoundProject, ProjectContent {
  readonly instance: string;
}

const LONGEST_BASENAME = 40;
const DIGEST_DIGITS = 8;

/** Throws UsageError for an unusable file. */
export async function readProject(found: FoundProject): Promise<Project> {
  const content = checkProject(await readProjectFile(found.file), found);
  return { ...found, ...content, instance: content.instance ?? instanceOfDirectory(found.directory) };
}

/**
 * The instance of a folder: its name for people, plus a digest of its real path. So two folders with one name have
 * two instances, and two paths to one folder have the same.
 */
export function instanceOfDirectory(directory: string): string {
  const path = realpathSync(directory);
  const begin = basename(path)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, LONGEST_BASENAME);
  const name = withoutTrailing(begin, '._-');
  const digest = createHash('sha256').update(path).digest('hex').slice(0, DIGEST_DIGITS);
  return `${name || 'project'}-${digest}`;
}

/** Throws UsageError, which names the file, for a project setting that the daemon would refuse. */
export async function judgeProject(project: Project | undefined): Promise<void> {
  if (project === undefined) return;
  await judge(project.settings, (_name, why) => new UsageError(`${project.file}: ${why}`));
}
