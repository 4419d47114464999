/** Snapshots are files that anybody may have written to: each is proven whole by its seal before it is opened. */
import { stat } from 'node:fs/promises';
import { ServiceError } from '../../kernel/errors.ts';
import { digestOfStart, readEnd, replaceEnd } from '../../storage/file-trailer.ts';
import type { SnapshotFolder } from '../../storage/snapshot-folder.ts';
import {
  FILE_SEAL_BYTES,
  sealedBytes,
  sealingSnapshotKey,
  withOpeningSnapshotKey,
  type FileBody,
  type Keyring,
} from '../../vault/keyring/index.ts';
import type { SnapshotHome } from './context.ts';

export interface SealContext {
  readonly home: Pick<SnapshotHome, 'folder' | 'key'>;
  readonly keyring: Keyring;
}

/** Puts a seal behind a finished draft; one for elsewhere opens with the snapshot key, too. Throws `storage_full`. */
export async function sealDraft(
  { home, keyring }: SealContext,
  draft: string,
  { isForElsewhere }: { isForElsewhere: boolean },
): Promise<void> {
  const body = await bodyOf(draft, (await stat(draft)).size);
  const snapshotKey = isForElsewhere ? sealingSnapshotKey(home.key) : undefined;
  try {
    await replaceEnd(draft, body.bytes, keyring.snapshots.sealFile(body, snapshotKey));
  } finally {
    snapshotKey?.fill(0);
  }
}

/** Takes the seal away from a copy that is to be written to. */
export async function unsealDraft(draft: string): Promise<void> {
  const { bytes } = await readSeal(draft);
  await replaceEnd(draft, bytes, new Uint8Array());
}

/** Throws `vault_damaged` when a snapshot of the folder isn't as this vault saved it. */
export async function requireWhole({ home, keyring }: SealContext, path: string): Promise<void> {
  if (home.folder.isVouched(path)) return;
  const vouch = home.folder.watch(path);
  const { trailer, body } = await judgedSeal(path);
  const isAuthentic = keyring.snapshots.isFileAuthentic(trailer, body);
  if (isAuthentic === undefined) {
    throw new ServiceError('vault_damaged', 'The snapshot is of another vault, or its seal is damaged');
  }
  if (!isAuthentic) throw changed();
  vouch();
}

/**
 * Proves a file that came in, a draft by now, under the key of this vault or else the snapshot key, and takes its seal
 * away. Throws `vault_damaged`, and `vault_key_invalid` when neither key opens the seal.
 */
export async function requireCarriedWhole({ home, keyring }: SealContext, draft: string): Promise<void> {
  const { trailer, body } = await judgedSeal(draft);
  let isAuthentic = keyring.snapshots.isFileAuthentic(trailer, body);
  if (isAuthentic === undefined) {
    withOpeningSnapshotKey(home.key, (key) => {
      isAuthentic = keyring.snapshots.isFileAuthentic(trailer, body, key);
      return isAuthentic !== undefined;
    });
  }
  if (isAuthentic !== true) throw changed();
  await replaceEnd(draft, body.bytes, new Uint8Array());
}

/** Once, when a version that makes seals first opens a vault: its own snapshots from before get theirs. */
export async function sealExisting(folder: SnapshotFolder, keyring: Keyring): Promise<void> {
  for (const name of await folder.names()) {
    const path = folder.pathOf(name);
    if ((await folder.find(name)) === undefined) continue;
    const { end, fileBytes } = await readEnd(path, FILE_SEAL_BYTES);
    if (sealedBytes(end, fileBytes) !== undefined) continue;
    const body = await bodyOf(path, fileBytes);
    await replaceEnd(path, body.bytes, keyring.snapshots.sealFile(body));
  }
}

async function judgedSeal(path: string): Promise<{ trailer: Uint8Array; body: FileBody }> {
  const { bytes, trailer } = await readSeal(path);
  return { trailer, body: await bodyOf(path, bytes) };
}

async function readSeal(path: string): Promise<{ bytes: number; trailer: Uint8Array }> {
  const { end, fileBytes } = await readEnd(path, FILE_SEAL_BYTES);
  const bytes = sealedBytes(end, fileBytes);
  if (bytes === undefined) {
    throw new ServiceError(
      'vault_damaged',
      'The file is no snapshot of kyclone or it is damaged: it does not end with the seal of one. If an older version made it, which made no seals, load it there and save it again with this version',
    );
  }
  return { bytes, trailer: end };
}

async function bodyOf(path: string, bytes: number): Promise<FileBody> {
  return { bytes, digest: await digestOfStart(path, bytes) };
}

function changed(): ServiceError {
  return new ServiceError(
    'vault_damaged',
    'The snapshot was changed since it was saved; nothing of it was used',
  );
}
