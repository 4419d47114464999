import { mergedSettings, requireConsistent } from './endpoints/values.ts';
import { DEFAULT_SETTINGS, isSettableOrigin, type Settings, type SettingsPatch } from './endpoints/index.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import { findSettings, storeSettings } from '../../vault/grants/index.ts';
import { answer, answered, type Handlers, type KeysUnder } from '../handlers.ts';

/** The settings of this instance: readable at any time, changed by merging, stored with the store (contract §11). */
export type LiveSettings = ReturnType<typeof createSettings>;

/** `startOptions` come from the command line and override stored settings. */
export function createSettings(queue: WriteQueue, startOptions: SettingsPatch) {
  const initial = mergedSettings(DEFAULT_SETTINGS, startOptions);
  const text = findSettings(queue.database);
  const stored = text === undefined ? undefined : withSettableOrigins(JSON.parse(text) as SettingsPatch);
  let current = requireConsistent(
    stored ? mergedSettings(mergedSettings(DEFAULT_SETTINGS, stored), startOptions) : initial,
  );

  async function keep(settings: Settings): Promise<Settings> {
    await queue.write((database) => storeSettings(database, JSON.stringify(settings)));
    current = settings;
    return current;
  }

  return {
    get current(): Settings {
      return current;
    },
    /** Restores the settings from the start of the instance. */
    restore: (): Promise<Settings> => keep(requireConsistent(initial)),
    handlers: {
      'GET /_kyclone/settings': () => answer(current),
      'PATCH /_kyclone/settings': ({ body }) =>
        answered(keep(requireConsistent(mergedSettings(current, body)))),
    } satisfies Handlers<KeysUnder<'/_kyclone/settings'>>,
  };
}

/** Earlier versions stored origins with wildcards, which admitted nobody. */
function withSettableOrigins(stored: SettingsPatch): SettingsPatch {
  if (stored.cors === undefined) return stored;
  return { ...stored, cors: { origins: stored.cors.origins.filter(isSettableOrigin) } };
}

/**
 * The settings in `text`, with the access settings (hosts, origins, egress, forwarding) of other settings; unchanged
 * without any others. Texts come from stores and may be from an older version.
 */
export function withAccessOf(text: string | undefined, own: string | undefined): Settings {
  const read = (given: string | undefined) =>
    mergedSettings(DEFAULT_SETTINGS, given === undefined ? {} : (JSON.parse(given) as SettingsPatch));
  const settings = read(text);
  if (own === undefined) return settings;
  const { egress, cors, hosts, partner_b } = read(own);
  return { ...settings, egress, cors, hosts, partner_b };
}
