/** Where a vault's key may come from, and the key for exported snapshots. */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { ServiceError } from '../../kernel/errors.ts';
import { keychainLibrary } from '../../kernel/program/keychain-library.ts';
import { createRandomness, secretBytes } from '../../kernel/ids/random.ts';
import { singleFile, snippetArguments } from '../../kernel/program/single-file.ts';
import { KEYCHAIN_LIMIT_MS } from '../../kernel/program/start-limits.ts';
import { SECOND_MS } from '../../kernel/numbers/units.ts';
import { areEqual, KEY_BYTES } from '../envelope.ts';
import { readKeyFile, readOrCreateKeyFile } from './key-file.ts';
import type { KeychainParameters } from './slots.ts';

// The operating system's keychain, through a helper process. On Linux it always uses the Secret Service: the library
// would fall back to the kernel keyring, which loses its keys at a restart.
//
// A separate process is necessary because the library connects to D-Bus inside its constructor, synchronously and
// without a timeout. An unresponsive bus would block the whole daemon, and neither a timer nor a worker thread could
// end the call. A process can be killed. It receives the key on stdin, never in its arguments.

const SERVICE = 'kyclone';
/** Time for the user to unlock the keychain on request. */
const PROMPT_LIMIT_MS = 30 * SECOND_MS;
const HEX_KEY = /^[0-9a-f]{64}$/;

/** Runs the steps in order and returns the result of the last `get`. */
const HELPER = `
let input = '';
process.stdin.on('data', (part) => (input += part)).on('end', async () => {
  let answer;
  try {
    const { library, service, account, secret, steps } = JSON.parse(input);
    const { AsyncEntry } = require(library);
    const entry = new AsyncEntry(service, account, { linux: { store: 'secret-service' } });
    let found = null;
    for (const step of steps) {
      if (step === 'set') await entry.setPassword(secret);
      if (step === 'get') found = await entry.getPassword();
      if (step === 'delete') await entry.deletePassword();
    }
    answer = { found };
  } catch (error) {
    answer = { problem: String(error.message) };
  }
  process.stdout.write(JSON.stringify(answer));
});`;

type Step = 'set' | 'get' | 'delete';

interface Conversation {
  entry: KeychainParameters;
  steps: Step[];
  secret?: string;
  limit: number;
}

/** `found` is null when the keychain has no such entry; `problem` says why the keychain is unusable. */
type KeychainAnswer = { found: string | null; problem?: never } | { problem: string };

/** Writes, reads and deletes a test entry. Returns the problem if the keychain is unusable. */
export async function probeKeychain(limit = KEYCHAIN_LIMIT_MS): Promise<string | undefined> {
  const secret = Buffer.from(secretBytes(KEY_BYTES)).toString('hex');
  const entry = { service: SERVICE, account: `probe ${createRandomness().secretText(22)}` };
  const answer = await converse({ entry, secret, steps: ['set', 'get', 'delete'], limit });
  if (answer.problem !== undefined) return answer.problem;
  return isSame(answer.found, secret) ? undefined : 'it did not return what was written to it';
}

/** Stores a new key under an account of its own and reads it back; returns the problem if that fails. */
export async function createKeychainKey(
  instance: string,
): Promise<{ parameters: KeychainParameters; key: Uint8Array } | { problem: string }> {
  const vaultId = createRandomness().secretText(22);
  const parameters = { service: SERVICE, account: `${instance} ${vaultId}` };
  const key = secretBytes(KEY_BYTES);
  const secret = Buffer.from(key).toString('hex');
  const answer = await converse({ entry: parameters, secret, steps: ['set', 'get'], limit: PROMPT_LIMIT_MS });
  if (answer.problem !== undefined) return { problem: answer.problem };
  if (!isSame(answer.found, secret)) return { problem: 'it did not return what was written to it' };
  return { parameters, key };
}

/** The key of a keychain slot, or the problem. Never writes. */
export async function readKeychainKey(
  entry: KeychainParameters,
): Promise<{ key: Uint8Array } | { problem: string }> {
  const answer = await converse({ entry, steps: ['get'], limit: PROMPT_LIMIT_MS });
  if (answer.problem !== undefined) return { problem: answer.problem };
  if (answer.found === null) return { problem: 'the keychain has no such entry, or is locked' };
  if (!HEX_KEY.test(answer.found)) return { problem: 'the keychain entry is no vault key' };
  return { key: Buffer.from(answer.found, 'hex') };
}

function converse({ entry, steps, secret, limit }: Conversation): Promise<KeychainAnswer> {
  let library: string;
  try {
    library = keychainLibrary();
  } catch {
    const problem =
      singleFile() === undefined
        ? 'the optional package @napi-rs/keyring is not installed'
        : 'its library cannot be written into a folder of this user';
    return Promise.resolve({ problem });
  }
  return new Promise((resolve) => {
    const settings = { timeout: limit, killSignal: 'SIGKILL', windowsHide: true } as const;
    const helper = execFile(process.execPath, snippetArguments(HELPER), settings, (error, stdout) => {
      if (error?.killed === true) resolve({ problem: `it did not answer within ${limit / SECOND_MS} s` });
      else if (error) resolve({ problem: 'the keychain helper process failed' });
      else resolve(JSON.parse(stdout) as KeychainAnswer);
    });
    // A helper that exits before it reads is reported by its exit code, not by the broken pipe.
    helper.stdin?.on('error', () => undefined);
    helper.stdin?.end(JSON.stringify({ library, ...entry, steps, secret }));
  });
}

function isSame(found: string | null, expected: string): boolean {
  return found !== null && areEqual(Buffer.from(found), Buffer.from(expected));
}

/** Possible sources of a vault's key. The caller reads the environment, not this folder. */
export interface KeySourceOptions {
  /** The instance's name, part of its keychain account. */
  instance: string;
  dataDirectory: string;
  /** Used without a keychain; outside the data directory. */
  defaultKeyFile: string;
  /** --key-file. */
  keyFile?: string | undefined;
  /** --require-keychain: at the first start, fail rather than store the key anywhere else. */
  requireKeychain: boolean;
  environment: {
    /** KYCLONE_VAULT_KEY: 64 hexadecimal characters. */
    key?: string | undefined;
    /** KYCLONE_VAULT_PASSPHRASE: a passphrase, or a recovery code, which begins with `KYRC-`. */
    passphrase?: string | undefined;
  };
  /** KYCLONE_NO_KEYCHAIN=1. */
  noKeychain?: boolean | undefined;
  /** Until the keychain counts as unusable at the first start; 10 s by default. */
  keychainLimitMs?: number;
}

export const NO_KEYCHAIN_PROBLEM = 'KYCLONE_NO_KEYCHAIN is set';

/** The explicit sources, checked for form. An absent one is undefined; an empty one is refused. */
export interface GivenSources {
  keyFile: string | undefined;
  key: Uint8Array | undefined;
  passphrase: string | undefined;
}

/** Throws `vault_key_invalid` when a source is malformed. */
export function givenSources({ keyFile, environment }: KeySourceOptions): GivenSources {
  if (environment.passphrase === '') {
    throw new ServiceError('vault_key_invalid', 'KYCLONE_VAULT_PASSPHRASE is empty: set it or unset it');
  }
  return {
    keyFile: keyFile === undefined ? undefined : resolve(keyFile),
    key: environment.key === undefined ? undefined : parseKey(environment.key, 'KYCLONE_VAULT_KEY'),
    passphrase: environment.passphrase,
  };
}

/** Throws `vault_key_invalid`, naming the variable. */
function parseKey(hex: string, variable: string): Uint8Array {
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) {
    throw new ServiceError(
      'vault_key_invalid',
      `${variable} must be exactly 64 hexadecimal characters; \`openssl rand -hex 32\` makes a key`,
    );
  }
  return Buffer.from(hex, 'hex');
}

// The key for exported snapshots: from the environment, as in pipelines, or from a file of the user, created when it is
// first needed. It is never stored with a snapshot.

export interface SnapshotKeySource {
  /** KYCLONE_SNAPSHOT_KEY: 64 hexadecimal characters. */
  readonly environment: string | undefined;
  readonly file: string;
  /** The folder that must not contain the key file. */
  readonly dataDirectory: string | undefined;
}

const VARIABLE = 'KYCLONE_SNAPSHOT_KEY';
const WHAT = 'snapshot key';

/** The key for an exported snapshot. The caller overwrites it. Throws `vault_key_invalid`, `key_file_refused`. */
export function sealingSnapshotKey({ environment, file, dataDirectory }: SnapshotKeySource): Uint8Array {
  if (environment !== undefined) return parseKey(environment, VARIABLE);
  return readOrCreateKeyFile({ path: file, dataDirectory, what: WHAT }).key;
}

/**
 * Calls `open` with the key for a snapshot of another vault, and overwrites it afterwards. Throws `vault_key_invalid`
 * when there is no key, or when `open` rejects it; the error names the source of the key.
 */
export function withOpeningSnapshotKey(source: SnapshotKeySource, open: (key: Uint8Array) => boolean): void {
  const { environment, file, dataDirectory } = source;
  const key =
    environment === undefined
      ? readKeyFile({ path: file, dataDirectory, what: WHAT })
      : parseKey(environment, VARIABLE);
  if (!key) {
    throw new ServiceError(
      'vault_key_invalid',
      `The snapshot is of another vault, and there is no key to open it: neither ${VARIABLE} in the environment of the daemon nor the file ${file}: copy snapshot.key there from the configuration folder of the instance that made it`,
    );
  }
  try {
    if (open(key)) return;
  } finally {
    key.fill(0);
  }
  const tried = environment === undefined ? `The key in the file ${file}` : `The key in ${VARIABLE}`;
  throw new ServiceError(
    'vault_key_invalid',
    `${tried} does not open the snapshot: start the daemon with the key of the instance that made it (its snapshot.key) in ${VARIABLE}`,
  );
}
