/**
 * Opens an existing vault (docs/architecture.md#vault): tries the given sources first, then each slot's own. Writes
 * nothing before a slot has opened, and never creates a key: a new key beside an existing vault would only hide the
 * loss of the old one.
 */
import { resolve } from 'node:path';
import { ServiceError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/database.ts';
import { readKeyFile } from './key-file.ts';
import { givenSources, NO_KEYCHAIN_PROBLEM, type GivenSources, type KeySourceOptions } from './key-source.ts';
import { readKeychainKey } from './keychain.ts';
import { noteUnsealedSnapshots } from '../grants/index.ts';
import { openKeyring, type Keyring } from './keyring.ts';
import { looksLikeRecoveryCode, parseRecoveryCode } from './recovery-code.ts';
import { updateSlotLastUsed, type SlotKind, type SlotRecord } from './repository.ts';
import { keychainParameters, keyFileParameters, openSlot, passphraseSecret } from './slots.ts';

/** A secret that may open `slot`. */
interface Candidate {
  slot: SlotRecord;
  secret: Uint8Array;
}

interface Search {
  slots: SlotRecord[];
  options: KeySourceOptions;
  /** Why the tried sources didn't work, in words for the user. */
  problems: string[];
  /** An existing but unusable key file of a slot. */
  refusals: ServiceError[];
}

/**
 * Opens the vault with the first matching candidate. Throws `sealed`, naming the slots and how to provide their keys,
 * when none matches; `key_file_refused` and `vault_key_invalid` when a source is unusable.
 */
export async function reopenVault(
  database: Database,
  { slots, options, now }: { slots: SlotRecord[]; options: KeySourceOptions; now: number },
): Promise<{ keyring: Keyring; notices: string[]; openedBy: SlotKind; noteUse: (store: Database) => void }> {
  const search: Search = { slots, options, problems: [], refusals: [] };
  for await (const { slot, secret } of candidates(search)) {
    const vaultKey = openSlot(slot, secret);
    if (!vaultKey) continue;
    const keyring = database.transaction(() => {
      const opened = openKeyring({ database, vaultKey, keyFilePlace: options, now });
      if (opened.hasFirstSeals) noteUnsealedSnapshots(database);
      return opened;
    })();
    const noteUse = (store: Database) => updateSlotLastUsed(store, slot.id, now);
    return { keyring, notices: openingNotices(slot, search), openedBy: slot.kind, noteUse };
  }
  const [refusal] = search.refusals;
  if (refusal && search.problems.length === 0) throw refusal;
  throw sealed(search);
}

async function* candidates(search: Search): AsyncGenerator<Candidate> {
  const given = givenSources(search.options);
  yield* keyFileCandidates(search, given);
  yield* environmentCandidates(search, given);
  yield* passphraseCandidates(search, given);
  for (const slot of search.slots) yield* ownCandidates(slot, search, given);
}

function* keyFileCandidates(search: Search, { keyFile: path }: GivenSources): Generator<Candidate> {
  if (path === undefined) return;
  const key = readKeyFile({ path, dataDirectory: search.options.dataDirectory });
  if (!key) {
    throw new ServiceError(
      'key_file_refused',
      `The key file ${path} does not exist, and no new key is made for an existing vault: give the path of its file`,
    );
  }
  yield* copiesFor(slotsOf(search, 'key_file'), key);
  search.problems.push(`the key file ${path} is not a key of this vault`);
}

function* environmentCandidates(search: Search, { key }: GivenSources): Generator<Candidate> {
  if (!key) return;
  yield* copiesFor(slotsOf(search, 'environment'), key);
  search.problems.push('KYCLONE_VAULT_KEY is not a key of this vault');
}

/** Text that looks like a recovery code is treated as one; a typing error is reported at once, before slow attempts. */
async function* passphraseCandidates(
  search: Search,
  { passphrase }: GivenSources,
): AsyncGenerator<Candidate> {
  if (passphrase === undefined) return;
  if (looksLikeRecoveryCode(passphrase)) {
    yield* copiesFor(slotsOf(search, 'recovery'), parseRecoveryCode(passphrase));
    search.problems.push('the recovery code in KYCLONE_VAULT_PASSPHRASE is not one of this vault');
    return;
  }
  for (const slot of slotsOf(search, 'passphrase')) {
    yield { slot, secret: await passphraseSecret(slot, passphrase) };
  }
  search.problems.push('KYCLONE_VAULT_PASSPHRASE is not a passphrase of this vault');
}

async function* ownCandidates(
  slot: SlotRecord,
  search: Search,
  given: GivenSources,
): AsyncGenerator<Candidate> {
  if (slot.kind === 'key_file') {
    const { path } = keyFileParameters(slot);
    if (path === given.keyFile) return;
    const key = readOwnKeyFile(path, search);
    if (!key) return;
    yield { slot, secret: key };
    search.problems.push(`the key file ${path} is not the key of its slot any more`);
  }
  if (slot.kind === 'keychain') {
    const answer = await readOwnKeychain(slot, search.options);
    if ('key' in answer) yield { slot, secret: answer.key };
    const problem = 'problem' in answer ? answer.problem : 'its entry is not the key of this slot any more';
    search.problems.push(`the OS keychain does not open the vault: ${problem}`);
  }
}

/** Copies the secret for each slot, since an attempt overwrites it, and overwrites the original at the end. */
function* copiesFor(slots: SlotRecord[], secret: Uint8Array): Generator<Candidate> {
  try {
    for (const slot of slots) yield { slot, secret: Uint8Array.from(secret) };
  } finally {
    secret.fill(0);
  }
}

function readOwnKeyFile(path: string, { options, problems, refusals }: Search): Uint8Array | undefined {
  try {
    const key = readKeyFile({ path: resolve(path), dataDirectory: options.dataDirectory });
    if (!key) problems.push(`the key file ${path} does not exist`);
    return key;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    refusals.push(error);
    return undefined;
  }
}

function readOwnKeychain(slot: SlotRecord, { noKeychain }: KeySourceOptions) {
  if (noKeychain === true) return Promise.resolve({ problem: NO_KEYCHAIN_PROBLEM });
  return readKeychainKey(keychainParameters(slot));
}

function slotsOf({ slots }: Search, kind: SlotKind): SlotRecord[] {
  return slots.filter((slot) => slot.kind === kind);
}

function openingNotices(opened: SlotRecord, { problems, refusals, options }: Search): string[] {
  const notices = [...problems, ...refusals.map(({ message }) => message)];
  if (options.requireKeychain && opened.kind !== 'keychain') {
    notices.push(
      `--require-keychain is for the first start: this vault was opened by its ${opened.kind} slot`,
    );
  }
  return notices.map((notice) => `${notice.charAt(0).toUpperCase()}${notice.slice(1)}.`);
}

function sealed({ slots, problems, refusals }: Search): ServiceError {
  const tried = [...problems, ...refusals.map(({ message }) => message)];
  const reasons = tried.length > 0 ? tried.join('; ') : 'no key was given';
  return new ServiceError(
    'sealed',
    `The vault is sealed: ${reasons}. It opens with any one of: ${slots.map(wayToOpen).join('; ')}`,
  );
}

function wayToOpen(slot: SlotRecord): string {
  switch (slot.kind) {
    case 'keychain': {
      const { service, account } = keychainParameters(slot);
      return `the OS keychain entry '${service}', account '${account}'`;
    }
    case 'key_file':
      return `the key file ${keyFileParameters(slot).path}, or --key-file with its new place`;
    case 'environment':
      return 'KYCLONE_VAULT_KEY';
    case 'passphrase':
      return 'its passphrase in KYCLONE_VAULT_PASSPHRASE';
    case 'recovery':
      return 'its recovery code in KYCLONE_VAULT_PASSPHRASE';
  }
}
