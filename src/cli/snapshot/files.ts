/** Snapshots that are named by a file: they pass through the daemon under a name of their own, which goes again. */
import { randomBytes } from 'node:crypto';
import { string as stringArg } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import type { AnswerOf } from '../../contract/registry.ts';
import type { Client } from '../../client/client.ts';
import { UsageError } from '../shell/failure.ts';
import { openSource } from '../shell/file-source.ts';
import { chooseTarget, type FileTarget } from '../shell/file-target.ts';
import { NO_PROGRESS, showProgress } from '../shell/progress.ts';

export type Snapshot = AnswerOf<'GET /_kyclone/snapshots/{name}'>;

export type Taken = AnswerOf<'PUT /_kyclone/snapshots/{name}/content'>;
export type Loaded = AnswerOf<'POST /_kyclone/snapshots/{name}/load'>;

interface Transfer {
  readonly client: Client;
  /** Whether somebody is to see how far it has come. */
  readonly isWatched: boolean;
}

/** Whether what stands for a snapshot is the path of a file. */
export function looksLikeFile(text: string): boolean {
  return text === '-' || /[\\/]/.test(text) || text.endsWith('.kysnap');
}

/** The one of a name and a file that was given. Throws UsageError for both and for none. */
export function nameOrFile(
  given: string | undefined,
  file: string | undefined,
): { name: string } | { file: string } {
  if ((given === undefined) === (file === undefined))
    throw new UsageError('Name a snapshot, or a file with --file');
  if (file !== undefined) return { file };
  return looksLikeFile(given ?? '') ? { file: given ?? '' } : { name: given ?? '' };
}

/** Judged before anything is saved. Throws UsageError. */
export function snapshotTarget(file: string, mayReplace: boolean): FileTarget {
  if (file === '-') throw new UsageError('A snapshot is written to a file: name one');
  const flags = { file: '--file', force: '--overwrite' };
  return chooseTarget({ out: file, mayReplace, isData: false, flags });
}

/** Writes a snapshot to a file, for its owner alone, whole or not at all. */
export async function fetchSnapshot(
  name: string,
  { target, client, isWatched }: Transfer & { target: FileTarget },
): Promise<void> {
  let progress = NO_PROGRESS;
  try {
    await target.fill(async () => {
      const onProgress = (received: number) => progress.update(received);
      const download = await client.snapshotContent(name, { onProgress });
      progress = await showProgress({ title: 'Downloading', bytes: download.bytes, isWanted: isWatched });
      return download;
    });
  } finally {
    progress.end();
  }
}

/** Saves to a file alone: the daemon keeps nothing of it. */
export async function saveToFile(transfer: Transfer & { target: FileTarget }): Promise<Snapshot> {
  const { client } = transfer;
  return await passingThrough(client, async (name) => {
    const saved = await client.call('PUT /_kyclone/snapshots/{name}', { params: { name } });
    await fetchSnapshot(name, transfer);
    return saved;
  });
}

/** Calls `use` with the name of the snapshot in a file, as long as the daemon has it. */
export async function withFile<T>(
  file: string,
  { client, isWatched, withAccess }: Transfer & { readonly withAccess: boolean },
  use: (name: string, taken: Taken) => Promise<T>,
): Promise<T> {
  const source = await openSource(file);
  return await passingThrough(client, async (name) => {
    const progress = await showProgress({ title: 'Uploading', bytes: source.bytes, isWanted: isWatched });
    let taken: Taken;
    try {
      const sent = await client
        .upload('PUT /_kyclone/snapshots/{name}/content', {
          params: { name },
          query: { with_access: withAccess },
          file: { ...source, contentType: 'application/octet-stream' },
          onProgress: progress.update,
        })
        .finally(progress.end);
      taken = sent.body;
    } finally {
      source.close();
    }
    return await use(name, taken);
  });
}

async function passingThrough<T>(client: Client, use: (name: string) => Promise<T>): Promise<T> {
  const name = `file-${randomBytes(12).toString('hex')}`;
  try {
    return await use(name);
  } finally {
    await client.call('DELETE /_kyclone/snapshots/{name}', { params: { name } }).catch(() => undefined);
  }
}

const BY_NAME_OR_FILE = 'a snapshot: its name, or a file (with a slash, or ending in .kysnap)';

export const snapshotArg = { snapshot: stringArg({ description: BY_NAME_OR_FILE, required: true }) };
export const optionalSnapshotArg = { snapshot: stringArg({ description: BY_NAME_OR_FILE }) };
export const nameArg = { name: stringArg({ description: 'name of a snapshot', required: true }) };

export const fileFlag = (summary: string) => ({ file: string({ summary, helpValue: 'FILE' }) });

/** What is true of every file of a snapshot. */
export const FILE_HELP =
  'A file is encrypted. Another instance opens it with the key of this user (snapshot.key in the configuration ' +
  'folder), or with that of KYCLONE_SNAPSHOT_KEY: 64 hexadecimal characters, for pipelines.';
