/** The API keys of the local user: two of tenant `default`, kept in the instance's state folder (contract §11). */
import { attempt } from '../kernel/attempt.ts';
import { readFileSync, existsSync, rmSync } from 'node:fs';
import { ServiceError } from '../kernel/errors.ts';
import { CREDENTIAL_PREFIX } from '../kernel/ids/ids.ts';
import type { InstancePaths } from '../kernel/files/paths.ts';
import { type Randomness, secretBytes } from '../kernel/ids/random.ts';
import { readPrivately } from '../vault/keyring/index.ts';
import { newApiKey, type LocalKeys } from '../nouns/api-keys/service/index.ts';
import { KIB } from '../kernel/numbers/units.ts';
import { writePrivateFile } from '../kernel/files/private-write.ts';

// The control token of an instance. It lasts as long as the data, so that a shell that has it keeps working after the
// daemon restarts. It is stored beside the API keys of the local user. An instance in memory gets a new one at each
// start.

const BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

interface ControlToken {
  readonly token: string;
  /** Removes the file that this call created, when the start fails. */
  undo(): void;
}

/** The stored token if the store exists already, otherwise a new one. Call it before the store is created. */
export function controlTokenOf(
  paths: InstancePaths,
  { isEphemeral }: { isEphemeral: boolean },
): ControlToken {
  const file = paths.controlTokenFile;
  if (isEphemeral) {
    // The token file of data on disk under this name stays as it is.
    return { token: newToken(), undo: () => undefined };
  }
  const kept = existsSync(paths.storeFile) ? keptToken(file) : undefined;
  if (kept !== undefined) return { token: kept, undo: () => undefined };
  const token = newToken();
  writePrivateFile(file, `${token}\n`);
  return { token, undo: () => rmSync(file, { force: true }) };
}

function keptToken(file: string): string | undefined {
  const text = attempt(() => readFileSync(file, 'utf8').trim());
  return text !== undefined && TOKEN.test(text) ? text : undefined;
}

function newToken(): string {
  return Buffer.from(secretBytes(BYTES)).toString('base64url');
}

const MAX_BYTES = 16 * KIB;
const SANDBOX_KEY = new RegExp(`^${CREDENTIAL_PREFIX.sandbox}[0-9A-Za-z]{16,128}$`);
const LIVE_KEY = new RegExp(`^${CREDENTIAL_PREFIX.live}[0-9A-Za-z]{16,128}$`);

/** Keys from the file of the start option, else those of the last start, else new ones; stored for the next start. */
export function localKeys(
  credentialsFile: string,
  options: { apiKeyFile: string | undefined; random: Randomness; isDurable: boolean },
): LocalKeys {
  const given = options.apiKeyFile === undefined ? {} : readKeyList(options.apiKeyFile);
  const kept = readKept(credentialsFile);
  const keys = {
    sandbox: given.sandbox ?? kept.sandbox ?? newApiKey('sandbox', options.random),
    live: given.live ?? kept.live ?? newApiKey('live', options.random),
  };
  if (keys.sandbox !== kept.sandbox || keys.live !== kept.live) {
    writePrivateFile(credentialsFile, `${JSON.stringify(keys)}\n`, options);
  }
  return keys;
}

/**
 * One key a line, at most one for each environment; blank lines and lines with # are skipped. The file is as private as
 * one with a vault's key.
 */
function readKeyList(path: string): Partial<LocalKeys> {
  const text = readPrivately(path, { what: 'list of API keys', maxBytes: MAX_BYTES });
  if (text === undefined) throw new ServiceError('key_file_refused', `There is no API key file ${path}`);
  const keys: { sandbox?: string; live?: string } = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const key = line.trim();
    if (key === '' || key.startsWith('#')) continue;
    const environment = SANDBOX_KEY.test(key) ? 'sandbox' : LIVE_KEY.test(key) ? 'live' : undefined;
    if (environment === undefined || keys[environment] !== undefined) {
      throw new ServiceError(
        'key_file_refused',
        `Line ${index + 1} of the API key file ${path} must be one key: sk_test_ or sk_live_ and 16 or more letters and digits`,
      );
    }
    keys[environment] = key;
  }
  if (keys.sandbox === undefined && keys.live === undefined) {
    throw new ServiceError('key_file_refused', `The API key file ${path} holds no key`);
  }
  return keys;
}

function readKept(path: string): Partial<LocalKeys> {
  try {
    const kept = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    const { sandbox, live } = kept;
    return {
      ...(typeof sandbox === 'string' && SANDBOX_KEY.test(sandbox) && { sandbox }),
      ...(typeof live === 'string' && LIVE_KEY.test(live) && { live }),
    };
  } catch {
    return {};
  }
}
