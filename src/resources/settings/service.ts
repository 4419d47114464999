import { mergedSettings, requireConsistent } from '../../contract/setting-values.ts';
import { DEFAULT_SETTINGS, type Settings, type SettingsPatch } from '../../contract/settings.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import { findSettings, storeSettings } from '../../vault/grants/index.ts';

/** The settings of this instance: read at any time, changed by merge, kept with the store (contract §11). */
export interface LiveSettings {
  readonly current: Settings;
  /** Merges, stores, and applies at once. */
  merge(patch: SettingsPatch): Promise<Settings>;
  /** Back to what the instance started with. */
  restore(): Promise<Settings>;
}

/** `startOptions` come from the command line and win over what was stored before. */
export function createSettings(queue: WriteQueue, startOptions: SettingsPatch): LiveSettings {
  const initial = mergedSettings(DEFAULT_SETTINGS, startOptions);
  const text = findSettings(queue.database);
  const stored = text === undefined ? undefined : (JSON.parse(text) as SettingsPatch);
  let current = requireConsistent(
    stored ? mergedSettings(mergedSettings(DEFAULT_SETTINGS, stored), startOptions) : initial,
  );

  async function keep(settings: Settings): Promise<Settings> {
    await queue.write((database) => storeSettings(database, JSON.stringify(settings)));
    current = settings;
    return current;
  }

  return {
    get current() {
      return current;
    },
    merge: (patch) => keep(requireConsistent(mergedSettings(current, patch))),
    restore: () => keep(requireConsistent(initial)),
  };
}

/**
 * Settings as text, with what opens something (hosts, origins, egress, forwarding) of other settings; as they are when
 * there are no others. Texts are those of stores and may be of an older version.
 */
export function withAccessOf(text: string | undefined, own: string | undefined): Settings {
  const read = (given: string | undefined) =>
    mergedSettings(DEFAULT_SETTINGS, given === undefined ? {} : (JSON.parse(given) as SettingsPatch));
  const settings = read(text);
  if (own === undefined) return settings;
  const { egress, cors, hosts, partner_b } = read(own);
  return { ...settings, egress, cors, hosts, partner_b };
}
