/**
 * The first start of a vault (docs/architecture.md#vault): chooses where to store its key and creates it.
 *
 * Order matters. The key is durable (file and directory synced, keychain written and read back) before the rows that
 * need it are committed: a crash in between leaves a key without a vault, never a vault without its key. For the same
 * reason the key stays when the commit fails, since the outcome of a failed commit may be unknown.
 */
import { resolve } from 'node:path';
import { ServiceError } from '../../kernel/errors.ts';
import { secretBytes } from '../../kernel/random.ts';
import type { Database } from '../../storage/database.ts';
import { KEY_BYTES } from '../envelope.ts';
import { readOrCreateKeyFile } from './key-file.ts';
import { givenSources, NO_KEYCHAIN_PROBLEM, type GivenSources, type KeySourceOptions } from './key-source.ts';
import { createKeychainKey, probeKeychain } from './keychain.ts';
import { createKeyring, type Keyring } from './keyring.ts';
import { looksLikeRecoveryCode } from './recovery-code.ts';
import { insertSlot, updateSlotLastUsed, type SlotRecord } from './repository.ts';
import { passphraseSource, sealSlot, type SlotSource } from './slots.ts';

interface Established {
  sources: [SlotSource, ...SlotSource[]];
  notices: string[];
}

/** Creates the vault, with a slot for each given source, or one for the keychain or the key file. */
export async function createVault(
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
  const unusable = await probeKeychain();
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
