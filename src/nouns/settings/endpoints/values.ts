/**
 * Valid values of settings: the schema, and rules that a schema can't express. The daemon checks them at its start and
 * at every change, `kyclone config set` before it stores a value.
 */
import { CREDENTIAL_HEADERS } from '../../../contract/facts/credentials.ts';
import { DUPLICATE_KINDS } from '../../control/facts.ts';
import { invalid } from '../../../kernel/errors.ts';
import { DEFAULT_SETTINGS, SettingsPatch, type Settings } from './index.ts';
import { requireValid } from '../../../contract/validity.ts';

/**
 * Converts `NAME=VALUE` pairs with the dotted names of contract §0.13 to a merge of settings. A value is parsed as JSON
 * if possible, otherwise it is text, or a comma-separated list for a list setting. Throws `invalid_request` naming the
 * setting.
 */
export function settingsFromOptions(pairs: readonly string[]): SettingsPatch {
  const patch: Record<string, unknown> = {};
  if (pairs.length === 0) return patch;
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = equals === -1 ? pair : pair.slice(0, equals);
    if (equals === -1) throw invalid(`Setting ${name} needs a value: NAME=VALUE`);
    const [group, member, ...rest] = name.split('.');
    if (!group || rest.length > 0) throw invalid(`There is no setting ${name}`);
    const value = valueOf(name, pair.slice(equals + 1));
    if (member === undefined) patch[group] = value;
    else patch[group] = { ...(patch[group] as object | undefined), [member]: value };
  }
  requireValid(SettingsPatch, patch, 'Setting');
  return patch;
}

/**
 * As `settingsFromOptions`, and also checks them together with the defaults of all others. Throws `invalid_request`.
 */
export function settingsFromTexts(pairs: readonly string[]): SettingsPatch {
  const patch = settingsFromOptions(pairs);
  requireConsistent(mergedSettings(DEFAULT_SETTINGS, patch));
  return patch;
}

/** One setting as a merge, checked by its own schema and rules. Throws `invalid_request`. */
export function settingFromText(name: string, text: string): SettingsPatch {
  const patch = settingsFromOptions([`${name}=${text}`]);
  requireEachValid(mergedSettings(DEFAULT_SETTINGS, patch));
  return patch;
}

/** The merge that restores a setting's default. */
export function defaultOf(name: string): SettingsPatch {
  const [group = '', member] = name.split('.');
  const value = defaultValue(name);
  return { [group]: member === undefined ? value : { [member]: value } };
}

function defaultValue(name: string): unknown {
  const [group, member] = name.split('.');
  const whole = DEFAULT_SETTINGS[group as keyof Settings] as Readonly<Record<string, unknown>> | undefined;
  return member === undefined ? whole : whole?.[member];
}

/** Groups are merged by member; a list is replaced as a whole. */
export function mergedSettings(settings: Settings, patch: SettingsPatch): Settings {
  const { hosts, ...groups } = settings;
  const merged = Object.entries(groups).map(([name, group]) => [
    name,
    { ...group, ...patch[name as keyof typeof groups] },
  ]);
  return { ...settings, ...(Object.fromEntries(merged) as typeof groups), hosts: patch.hosts ?? hosts };
}

/** Headers with another meaning: a key under one of these names could not be recognised. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  ...CREDENTIAL_HEADERS,
  'host',
  'origin',
  'content-type',
  'content-length',
]);

/** Returns the settings unchanged. Throws `invalid_request` when one is invalid, or two are incompatible. */
export function requireConsistent(settings: Settings): Settings {
  requireEachValid(settings);
  const { partner_a, partner_b } = settings.vocabulary;
  if (partner_a === partner_b) throw invalid('vocabulary.partner_a and vocabulary.partner_b must differ');
  return settings;
}

/** Checks each setting beyond its schema. Throws `invalid_request`. */
function requireEachValid(settings: Settings): void {
  const { partner_a, partner_b, partner_response, secret_key_header, duplicate_name_dob } =
    settings.vocabulary;
  if (partner_response === 'status_code') {
    throw invalid(
      'vocabulary.partner_response must not be status_code, which is the name of the member beside it',
    );
  }
  if ([partner_a, partner_b].some((word) => word === '.' || word === '..')) {
    throw invalid(
      'vocabulary.partner_a and vocabulary.partner_b must not be . or .., which are steps in a path',
    );
  }
  if (RESERVED_HEADERS.has(secret_key_header)) {
    throw invalid('vocabulary.secret_key_header must not be a header with another meaning');
  }
  if (DUPLICATE_KINDS.some((kind) => kind === duplicate_name_dob && kind !== 'name_dobname')) {
    throw invalid('vocabulary.duplicate_name_dob must not be the word of another kind of duplicate');
  }
  for (const origin of settings.cors.origins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw invalid(
        'cors.origins must hold origins as browsers send them, in lower case and without a default port',
      );
    }
  }
}

function valueOf(name: string, text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  if (!Array.isArray(defaultValue(name))) return text;
  if (!text.startsWith('[')) return text.split(',').map((entry) => entry.trim()).filter((entry) => entry !== ''); // prettier-ignore
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalid(`Setting ${name} must be a JSON list or a comma-separated one`);
  }
}
