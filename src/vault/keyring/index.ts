/** The keys of the vault: opens the vault of a store, or creates it at its first start (docs/architecture.md#vault). */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ServiceError } from '../../kernel/errors.ts';
import { secretBytes } from '../../kernel/ids/random.ts';
import type { Database } from '../../storage/database.ts';
import { KEY_BYTES } from '../envelope.ts';
import { noteUnsealedSnapshots } from '../grants/index.ts';
import { readKeyFile, readOrCreateKeyFile } from './key-file.ts';
import {
  givenSources,
  type GivenSources,
  type KeySourceOptions,
  NO_KEYCHAIN_PROBLEM,
  createKeychainKey,
  probeKeychain,
  readKeychainKey,
} from './key-source.ts';
import { createKeyring, type Keyring, openKeyring } from './keyring.ts';
import { looksLikeRecoveryCode, parseRecoveryCode } from './recovery-code.ts';
import {
  hasKeyedRows,
  insertSlot,
  listSlots,
  type SlotKind,
  type SlotRecord,
  updateSlotLastUsed,
} from './repository.ts';
import {
  keychainParameters,
  keyFileParameters,
  openSlot,
  passphraseSecret,
  passphraseSource,
  sealSlot,
  type SlotSource,
} from './slots.ts';

export { sealingSnapshotKey, withOpeningSnapshotKey } from './key-source.ts';
export type { KeySourceOptions, SnapshotKeySource } from './key-source.ts';
export { readPrivately } from './key-file.ts';
export { ephemeralKeyring, INSTANCE_KEY_NAMES, slotView } from './keyring.ts';
export type { Keyring, KeyringDescription, SlotView } from './keyring.ts';
export type { SlotRequest } from './new-slot.ts';
export { FILE_SEAL_BYTES, sealedBytes, type FileBody } from './file-seal.ts';
export type { SealedKey, SlotKind, SlotRecord } from './repository.ts';

export interface Unlocked {
  keyring: Keyring;
  /** Notices to print for the user. They contain no secret. */
  notices: string[];
  openedBy: SlotKind | 'memory';
  /**
   * Records the time of the opening and the slot that opened the vault, once the start may change the store. A new
   * vault has it recorded already.
   */
  noteUse?: (database: Database) => void;
}

/**
 * Opens the vault of this store, or creates it at its first start (docs/architecture.md#vault). Call it before the
 * write queue is used. Throws `sealed` when no key opens it (nothing was written), `key_file_refused` and
 * `vault_key_invalid` when a key source is unusable, `vault_damaged` when a key under an open slot doesn't open.
 * `onMade` runs in the transaction that creates the vault.
 */
export async function unlock(
  database: Database,
  options: KeySourceOptions,
  now: number,
  onMade?: (keyring: Keyring) => void,
): Promise<Unlocked> {
  const slots = listSlots(database);
  if (slots.length > 0) return reopenVault(database, { slots, options, now });
  if (hasKeyedRows(database)) {
    throw new ServiceError(
      'sealed',
      'The vault is sealed: it holds sealed keys but has no key slot left, so no key can open it; restore a backup',
    );
  }
  return createVault(database, { options, now, onMade });
}

// The first start of a vault (docs/architecture.md#vault): chooses where to store its key and creates it.
//
// Order matters. The key is durable (file and directory synced, keychain written and read back) before the rows that
// need it are committed: a crash in between leaves a key without a vault, never a vault without its key. For the same
// reason the key stays when the commit fails, since the outcome of a failed commit may be unknown.

interface Established {
  sources: [SlotSource, ...SlotSource[]];
  notices: string[];
}

/** Creates the vault, with a slot for each given source, or one for the keychain or the key file. */
async function createVault(
  database: Database,
  {
    options,
    now,
    onMade,
  }: { options: KeySourceOptions; now: number; onMade: ((keyring: Keyring) => void) | undefined },
): Promise<{ keyring: Keyring; notices: string[]; openedBy: SlotRecord['kind'] }> {
  const { sources, notices } = await establishSources(options);
  const openedBy = sources[0].kind;
  const vaultKey = secretBytes(KEY_BYTES);
  const slots = sources.map((source) => sealSlot(source, vaultKey, now));
  const keyring = database.transaction(() => {
    for (const slot of slots) insertSlot(database, slot);
    for (const slot of slots.slice(0, 1)) updateSlotLastUsed(database, slot.id, now);
    const made = createKeyring({ database, vaultKey, keyFilePlace: options, now });
    onMade?.(made);
    return made;
  })();
  return { keyring, notices, openedBy };
}

async function establishSources(options: KeySourceOptions): Promise<Established> {
  const given = await establishGiven(givenSources(options), options);
  if (given) return given;
  if (options.noKeychain === true) return withoutKeychain(options, NO_KEYCHAIN_PROBLEM);
  const unusable = await probeKeychain(options.keychainLimitMs);
  if (unusable !== undefined) return withoutKeychain(options, unusable);
  const made = await createKeychainKey(options.instance);
  if ('problem' in made) return withoutKeychain(options, made.problem);
  return { sources: [{ kind: 'keychain', parameters: made.parameters, secret: made.key }], notices: [] };
}

async function establishGiven(
  given: GivenSources,
  options: KeySourceOptions,
): Promise<Established | undefined> {
  const { keyFile, key, passphrase } = given;
  if (keyFile === undefined && key === undefined && passphrase === undefined) return undefined;
  if (options.requireKeychain) {
    throw new ServiceError(
      'sealed',
      'The vault was not made: --require-keychain and another key source are given; choose one of them',
    );
  }
  const sources: SlotSource[] = [];
  const notices: string[] = [];
  // Checks all forms first, so that a start that fails for another source leaves no key file behind.
  if (passphrase !== undefined) sources.push(await newPassphrase(passphrase));
  if (key) sources.unshift({ kind: 'environment', parameters: {}, secret: key });
  if (keyFile !== undefined) {
    const made = establishKeyFile(keyFile, options);
    sources.unshift(made.source);
    notices.push(made.notice);
  }
  return { sources: sources as Established['sources'], notices };
}

/** A recovery code at a first start means that its vault is somewhere else. */
function newPassphrase(passphrase: string): Promise<SlotSource> {
  if (looksLikeRecoveryCode(passphrase)) {
    throw new ServiceError(
      'vault_key_invalid',
      'KYCLONE_VAULT_PASSPHRASE is a recovery code, but there is no vault here to recover: check the data directory',
    );
  }
  return passphraseSource(passphrase);
}

function withoutKeychain(options: KeySourceOptions, problem: string): Established {
  if (options.requireKeychain) {
    throw new ServiceError(
      'sealed',
      `The vault was not made: --require-keychain is set and the OS keychain cannot be used: ${problem}`,
    );
  }
  const { source, notice } = establishKeyFile(resolve(options.defaultKeyFile), options);
  return { sources: [source], notices: [`The OS keychain cannot be used: ${problem}.`, notice] };
}

function establishKeyFile(
  path: string,
  { dataDirectory }: KeySourceOptions,
): { source: SlotSource; notice: string } {
  const { key, isNew } = readOrCreateKeyFile({ path, dataDirectory });
  const notice =
    `The vault's key is ${isNew ? 'now' : 'the one that was already'} in the file ${path} (mode 0600). ` +
    'It protects copies of the data directory that go without this file: backups, synchronised folders, snapshots. ' +
    'It does not protect against anyone who can read files as this user, or who has the disk with both. ' +
    'Without this file the vault cannot be opened: keep a copy apart, or add a recovery code.';
  return { source: { kind: 'key_file', parameters: { path }, secret: key }, notice };
}

// Opens an existing vault (docs/architecture.md#vault): tries the given sources first, then each slot's own. Writes
// nothing before a slot has opened, and never creates a key: a new key beside an existing vault would only hide the
// loss of the old one.

/** A secret that may open `slot`. */
interface Candidate {
  slot: SlotRecord;
  secret: Uint8Array;
  /** The new place of the slot's key file. */
  path?: string;
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
async function reopenVault(
  database: Database,
  { slots, options, now }: { slots: SlotRecord[]; options: KeySourceOptions; now: number },
): Promise<{ keyring: Keyring; notices: string[]; openedBy: SlotKind; noteUse: (store: Database) => void }> {
  const search: Search = { slots, options, problems: [], refusals: [] };
  for await (const { slot, secret, path } of candidates(search)) {
    const vaultKey = openSlot(slot, secret);
    if (!vaultKey) continue;
    const keyring = database.transaction(() => {
      const opened = openKeyring({ database, vaultKey, keyFilePlace: options, now });
      if (opened.hasFirstSeals) noteUnsealedSnapshots(database);
      return opened;
    })();
    const noteUse = (store: Database) => updateSlotLastUsed(store, slot.id, now, path);
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
    if (!key) {
      yield* movedKey(slot, path, search);
      return;
    }
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

/** The key at the standard place of this home, when nothing is at the slot's own: the home has moved. */
function* movedKey(slot: SlotRecord, from: string, search: Search): Generator<Candidate> {
  const path = resolve(search.options.defaultKeyFile);
  if (path === from || existsSync(from) || !existsSync(path)) return;
  const key = readOwnKeyFile(path, search);
  if (key) yield { slot, secret: key, path };
  search.problems.push(`the key file ${path} is not a key of this vault`);
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
