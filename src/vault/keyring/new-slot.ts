import { isAbsolute } from 'node:path';
import type { NewSlotKind } from '../../nouns/control/facts.ts';
import { ServiceError, invalid } from '../../kernel/errors.ts';
import { readOrCreateKeyFile } from './key-file.ts';
import { looksLikeRecoveryCode, newRecoveryCode } from './recovery-code.ts';
import type { SlotRecord } from './repository.ts';
import { passphraseSource, sealSlot } from './slots.ts';

export interface SlotRequest {
  kind: NewSlotKind;
  passphrase?: string | undefined;
  path?: string | undefined;
}

/** The default place of an instance's key file, and the folder where it must not be. */
export interface KeyFilePlace {
  defaultKeyFile: string;
  dataDirectory: string;
}

interface NewSlot {
  request: SlotRequest;
  vaultKey: Uint8Array;
  keyFilePlace: KeyFilePlace | undefined;
  now: number;
}

/** Creates a slot for an open vault (contract §11, POST keyring/slots); the caller stores it in a write job. */
export async function newSlot(vault: NewSlot): Promise<{ slot: SlotRecord; recovery_code?: string }> {
  const { request, vaultKey, keyFilePlace, now } = vault;
  switch (request.kind) {
    case 'passphrase':
      return { slot: sealSlot(await passphraseSource(requirePassphrase(request)), vaultKey, now) };
    case 'key_file': {
      const path = requirePath(request, keyFilePlace);
      const { key } = readOrCreateKeyFile({ path, dataDirectory: keyFilePlace?.dataDirectory });
      return { slot: sealSlot({ kind: 'key_file', parameters: { path }, secret: key }, vaultKey, now) };
    }
    case 'recovery': {
      const { code, secret } = newRecoveryCode();
      return {
        slot: sealSlot({ kind: 'recovery', parameters: {}, secret }, vaultKey, now),
        recovery_code: code,
      };
    }
  }
}

/** A passphrase that looks like a recovery code would later be read as one. */
function requirePassphrase({ passphrase }: SlotRequest): string {
  if (passphrase === undefined) throw invalid('passphrase: a passphrase slot needs it');
  if (looksLikeRecoveryCode(passphrase)) {
    throw new ServiceError('vault_key_invalid', 'A vault passphrase must not look like a recovery code');
  }
  return passphrase;
}

/** Absolute, since the daemon's working directory is not the caller's. */
function requirePath({ path }: SlotRequest, place: KeyFilePlace | undefined): string {
  const chosen = path ?? place?.defaultKeyFile;
  if (chosen === undefined || !isAbsolute(chosen)) {
    throw invalid('path: a key_file slot needs the absolute path of the key file');
  }
  return chosen;
}
