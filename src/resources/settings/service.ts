import { DUPLICATE_KINDS } from '../../contract/duplicates.ts';
import { DEFAULT_SETTINGS, type Settings, type SettingsPatch } from '../../contract/settings.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { statement, type Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';

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
  const initial = merged(DEFAULT_SETTINGS, startOptions);
  const stored = loadSettings(queue.database);
  let current = checked(stored ? merged(merged(DEFAULT_SETTINGS, stored), startOptions) : initial);

  async function keep(settings: Settings): Promise<Settings> {
    await queue.write((database) => saveSettings(database, settings));
    current = settings;
    return current;
  }

  return {
    get current() {
      return current;
    },
    merge: (patch) => keep(checked(merged(current, patch))),
    restore: () => keep(checked(initial)),
  };
}

function merged(settings: Settings, patch: SettingsPatch): Settings {
  return {
    egress: { ...settings.egress, ...patch.egress },
    vocabulary: { ...settings.vocabulary, ...patch.vocabulary },
    events: { ...settings.events, ...patch.events },
    cors: { ...settings.cors, ...patch.cors },
    hosts: patch.hosts ?? settings.hosts,
    partner_b: { ...settings.partner_b, ...patch.partner_b },
  };
}

/** Headers that carry something else: a key sent under one of these names could never be told apart. */
const RESERVED_HEADERS = new Set([
  'authorization',
  'host',
  'origin',
  'content-type',
  'content-length',
  'cookie',
  'x-fp-authorization',
]);

function checked(settings: Settings): Settings {
  const { partner_a, partner_b, partner_response, secret_key_header, duplicate_name_dob } =
    settings.vocabulary;
  if (partner_response === 'status_code') {
    throw new ServiceError(
      'invalid_request',
      'vocabulary.partner_response is the name of the member beside it: status_code',
    );
  }
  if ([partner_a, partner_b].some((word) => word === '.' || word === '..')) {
    throw new ServiceError(
      'invalid_request',
      'vocabulary.partner_a and vocabulary.partner_b may not be . or .., which are steps in a path and no words',
    );
  }
  if (partner_a === partner_b) {
    throw new ServiceError('invalid_request', 'vocabulary.partner_a and vocabulary.partner_b must differ');
  }
  if (RESERVED_HEADERS.has(secret_key_header)) {
    throw new ServiceError(
      'invalid_request',
      'vocabulary.secret_key_header is a header with another meaning',
    );
  }
  if (DUPLICATE_KINDS.some((kind) => kind === duplicate_name_dob && kind !== 'name_dobname')) {
    throw new ServiceError(
      'invalid_request',
      'vocabulary.duplicate_name_dob is the word of another kind of duplicate',
    );
  }
  for (const origin of settings.cors.origins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw new ServiceError(
        'invalid_request',
        'Setting cors.origins: an origin is written as browsers send it, in lower case and without a default port',
      );
    }
  }
  return settings;
}

const NAME = 'settings';

function loadSettings(database: Database): SettingsPatch | undefined {
  const text = statement(database, 'SELECT value FROM instance_values WHERE name = ?').pluck().get(NAME) as
    string | undefined;
  return text === undefined ? undefined : (JSON.parse(text) as SettingsPatch);
}

function saveSettings(database: Database, settings: Settings): void {
  statement(
    database,
    'INSERT INTO instance_values (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  ).run(NAME, JSON.stringify(settings));
}
