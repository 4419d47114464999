/**
 * What `kyclone config` keeps: settings that every later `kyclone start` applies (contract §0.13). Never secrets. Names
 * are checked here; values are for the daemon to judge when it starts.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PathBases } from '../kernel/paths.ts';
import { UsageError } from './failure.ts';
import { nearest } from '../kernel/nearest.ts';

export const SETTING_NAMES = [
  'egress.policy',
  'egress.extra_roots',
  'vocabulary.event_prefix',
  'vocabulary.partner_a',
  'vocabulary.partner_b',
  'vocabulary.partner_response',
  'vocabulary.vendors',
  'vocabulary.secret_key_header',
  'vocabulary.duplicate_name_dob',
  'vocabulary.webhook_style',
  'cors.origins',
  'hosts',
  'events.extended',
  'partner_b.forward',
  'seed',
] as const;
export type SettingName = (typeof SETTING_NAMES)[number];
export type Settings = Partial<Record<SettingName, string>>;

export interface Preferences {
  get(name: SettingName): string | undefined;
  set(name: SettingName, value: string): void;
  unset(name: SettingName): void;
  all(): Settings;
}

const CONFIG_NAME = 'config';

/** Opens `config.json` in the configuration folder, which is made when it isn't there. */
export async function openPreferences(bases: PathBases): Promise<Preferences> {
  const { default: Conf } = await import('conf');
  mkdirSync(bases.config, { recursive: true, mode: 0o700 });
  const conf = new Conf<Record<string, string>>({
    cwd: bases.config,
    configName: CONFIG_NAME,
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
    projectName: 'kyclone',
  });
  return {
    get: (name) => conf.get(name),
    set: (name, value) => conf.set(name, value),
    unset: (name) => conf.delete(name),
    all: () => Object.fromEntries(Object.entries(conf.store).filter(([name]) => isSettingName(name))),
  };
}

/** What is kept. Nothing is made or loaded where nothing was ever kept. */
export async function keptSettings(bases: PathBases): Promise<Settings> {
  if (!existsSync(join(bases.config, `${CONFIG_NAME}.json`))) return {};
  return (await openPreferences(bases)).all();
}

/** Throws UsageError for a name that is no setting. */
export function settingName(text: string): SettingName {
  if (isSettingName(text)) return text;
  const meant = nearest(text, SETTING_NAMES);
  throw new UsageError(
    meant === undefined ? 'There is no such setting' : `There is no such setting; did you mean ${meant}?`,
    `settings: ${SETTING_NAMES.join(', ')}`,
  );
}

/** The daemon's options that apply these preferences. */
export function settingOptions(settings: Settings): string[] {
  return Object.entries(settings).flatMap(([name, value]) =>
    name === 'seed' ? ['--seed', value] : ['--set', `${name}=${value}`],
  );
}

function isSettingName(text: string): text is SettingName {
  return (SETTING_NAMES as readonly string[]).includes(text);
}
