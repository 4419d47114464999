/**
 * The settings that `kyclone config` keeps and every later `kyclone start` applies (contract §0.13). Never secrets. A
 * value is checked by the rules of the daemon before it is kept, and again before a start, because the file may have
 * been edited.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTING_NAMES as DAEMON_SETTINGS } from '../../nouns/settings/facts.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { isJsonObject, jsonOf, withoutByteOrderMark } from '../../kernel/text/json.ts';
import { makeFolder } from '../../kernel/files/private-folder.ts';
import { didYouMean } from '../../kernel/text/nearest.ts';
import type { PathBases } from '../../kernel/files/paths.ts';
import { CliError, refusedFile, UsageError } from '../shell/failure.ts';
import { requireUsersFolder } from '../shell/files.ts';

/** The daemon's settings, and the seed, which only a start can apply. */
export const SETTING_NAMES = [...DAEMON_SETTINGS, 'seed'] as const;
export type KeptSettingName = (typeof SETTING_NAMES)[number];
export type KeptSettings = Partial<Record<KeptSettingName, string>>;

const CONFIG_NAME = 'config';

export function preferencesFile(bases: PathBases): string {
  return join(bases.config, `${CONFIG_NAME}.json`);
}

/** All members of the file, known or not. Throws CliError for an unusable file. */
export function keptMembers(bases: PathBases): Readonly<Record<string, unknown>> {
  const file = preferencesFile(bases);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw refusedFile(error, file);
  }
  requireUsersFolder(bases.config);
  const value = jsonOf(withoutByteOrderMark(text));
  if (isJsonObject(value)) return value;
  throw new CliError(`The kept settings cannot be read: ${file} contains no JSON object`, {
    code: 'settings_damaged',
    hint: 'repair the file, or remove it: every setting then has its default',
  });
}

/** The kept settings unchanged, without unknown names. Throws CliError. */
export function keptSettings(bases: PathBases): KeptSettings {
  return Object.fromEntries(
    Object.entries(keptMembers(bases))
      .filter(([name]) => isSettingName(name))
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

/**
 * The kept settings, checked one by one and together as the daemon would. Throws a CliError that names the file and
 * the setting.
 */
export async function judgedSettings(bases: PathBases): Promise<KeptSettings> {
  const settings = keptSettings(bases);
  await judge(
    settings,
    (name, why) =>
      new CliError(`${name ?? 'A setting'} is kept with a value that cannot be used: ${why}`, {
        code: 'setting_invalid',
        context: { file: preferencesFile(bases) },
        hint: name === undefined ? 'kyclone config list shows them' : `kyclone config delete ${name}`,
      }),
  );
  return settings;
}

/**
 * Throws what `refusal` returns for the first unusable setting. It gets no name if two settings exclude each other.
 */
export async function judge(
  settings: KeptSettings,
  refusal: (name: KeptSettingName | undefined, why: string) => Error,
): Promise<void> {
  const { seed, ...ofDaemon } = settings;
  if (seed === '') throw refusal('seed', 'it is empty');
  const entries = Object.entries(ofDaemon) as [KeptSettingName, string][];
  if (entries.length === 0) return;
  // Imported here because it loads the schemas, and most commands have nothing to check.
  const { settingFromText, settingsFromTexts } = await import('../../nouns/settings/endpoints/values.ts');
  const attempt = (name: KeptSettingName | undefined, act: () => unknown) => {
    try {
      act();
    } catch (error) {
      if (error instanceof ServiceError) throw refusal(name, error.message);
      throw error;
    }
  };
  for (const [name, value] of entries) attempt(name, () => settingFromText(name, value));
  if (entries.length > 1) {
    attempt(undefined, () => settingsFromTexts(entries.map(([name, value]) => `${name}=${value}`)));
  }
}

async function areValid(settings: KeptSettings): Promise<boolean> {
  return await judge(settings, (_name, why) => new UsageError(why)).then(
    () => true,
    () => false,
  );
}

/** Throws UsageError for a value that the daemon would refuse, alone or together with the kept settings. */
export async function judgeSetting(bases: PathBases, name: KeptSettingName, value: string): Promise<void> {
  const refusal = (_name: unknown, why: string) => new UsageError(`${why}; nothing was kept`);
  await judge({ [name]: value }, refusal);
  const kept = keptSettings(bases);
  // Earlier mistakes are no reason to refuse a valid setting.
  if (await areValid(kept)) await judge({ ...kept, [name]: value }, refusal);
}

/** Keeps a checked setting. Throws CliError when it can't be written. */
export async function keepSetting(bases: PathBases, name: KeptSettingName, value: string): Promise<void> {
  await change(bases, (conf) => conf.set(name, value));
}

/** Deletes a setting, even if its name is no longer known. Throws CliError. */
export async function forgetSetting(bases: PathBases, name: string): Promise<void> {
  await change(bases, (conf) => conf.delete(name));
}

interface Store {
  set(name: string, value: string): void;
  delete(name: string): void;
}

async function change(bases: PathBases, act: (store: Store) => void): Promise<void> {
  // Reports a damaged file and never overwrites it.
  keptMembers(bases);
  const { default: Conf } = await import('conf');
  makeFolder(bases.config);
  requireUsersFolder(bases.config);
  try {
    act(
      new Conf<Record<string, string>>({
        cwd: bases.config,
        configName: CONFIG_NAME,
        configFileMode: 0o600,
        accessPropertiesByDotNotation: false,
        projectName: 'kyclone',
      }),
    );
  } catch (error) {
    throw refusedFile(error, preferencesFile(bases));
  }
}

/** Throws UsageError for a name that is not a setting. */
export function settingName(text: string): KeptSettingName {
  if (isSettingName(text)) return text;
  throw new UsageError(
    `There is no such setting${didYouMean(text, SETTING_NAMES)}`,
    `settings: ${SETTING_NAMES.join(', ')}`,
  );
}

/** The daemon's options for these preferences. */
export function settingOptions(settings: KeptSettings): string[] {
  return Object.entries(settings).flatMap(([name, value]) =>
    name === 'seed' ? ['--seed', value] : ['--set', `${name}=${value}`],
  );
}

export function isSettingName(text: string): text is KeptSettingName {
  return (SETTING_NAMES as readonly string[]).includes(text);
}
