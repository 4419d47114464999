/** Seals of snapshots. Only a vault that has the key makes them. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { FILE_SEAL_BYTES, makeFileSeal, sealedBytes } from '../../src/vault/keyring/file-seal.ts';

/** Removes the seal, so that the file is like a snapshot of an older version. */
export function withoutSeal(path: string): void {
  const bytes = readFileSync(path);
  const body = sealedBytes(bytes.subarray(-FILE_SEAL_BYTES), bytes.length);
  if (body === undefined) throw new Error('the file has no seal');
  writeFileSync(path, bytes.subarray(0, body));
}

/** Changes the content before the seal, and seals it again. */
export function changeUnderSeal(path: string, vaultKey: Uint8Array, change: (path: string) => void): void {
  withoutSeal(path);
  change(path);
  const bytes = readFileSync(path);
  const digest = createHash('sha256').update(bytes).digest();
  const seal = makeFileSeal({ bytes: bytes.length, digest }, { vault: vaultKey });
  writeFileSync(path, Buffer.concat([bytes, seal]));
}
