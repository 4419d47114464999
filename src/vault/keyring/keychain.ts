/**
 * The operating system's keychain, through a helper process. On Linux it always uses the Secret Service: the library
 * would fall back to the kernel keyring, which loses its keys at a restart.
 *
 * A separate process is necessary because the library connects to D-Bus inside its constructor, synchronously and
 * without a timeout. An unresponsive bus would block the whole daemon, and neither a timer nor a worker thread could
 * end the call. A process can be killed. It receives the key on stdin, never in its arguments.
 */
import { execFile } from 'node:child_process';
import { timingSafeEqual } from 'node:crypto';
import { ownRequire } from '../../kernel/own-require.ts';
import { createRandomness, secretBytes } from '../../kernel/random.ts';
import { SECOND_MS } from '../../kernel/units.ts';
import { KEY_BYTES } from '../envelope.ts';
import type { KeychainParameters } from './slots.ts';

const SERVICE = 'kyclone';
/** docs/architecture.md#vault: a keychain that takes longer is not usable for a daemon. */
const PROBE_LIMIT_MS = 3 * SECOND_MS;
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
    const { AsyncEntry } = await import(library);
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

/** Writes, reads and deletes a test entry within 3 s. Returns the problem if the keychain is unusable. */
export async function probeKeychain(): Promise<string | undefined> {
  const secret = Buffer.from(secretBytes(KEY_BYTES)).toString('hex');
  const entry = { service: SERVICE, account: `probe ${createRandomness().secretText(22)}` };
  const answer = await converse({ entry, secret, steps: ['set', 'get', 'delete'], limit: PROBE_LIMIT_MS });
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
    library = ownRequire(import.meta.url).resolve('@napi-rs/keyring');
  } catch {
    return Promise.resolve({ problem: 'the optional package @napi-rs/keyring is not installed' });
  }
  return new Promise((resolve) => {
    const settings = { timeout: limit, killSignal: 'SIGKILL', windowsHide: true } as const;
    const helper = execFile(process.execPath, ['-e', HELPER], settings, (error, stdout) => {
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
  return found?.length === expected.length && timingSafeEqual(Buffer.from(found), Buffer.from(expected));
}
