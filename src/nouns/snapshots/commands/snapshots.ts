/** Snapshot files, which the daemon imports and exports under a temporary name, and the views of snapshots. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { string as stringArg } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import type { AnswerOf } from '../../../contract/registry.ts';
import type { Client } from '../../../client/client.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
import { openSource, chooseTarget, type FileTarget } from '../../../cli/shell/files.ts';
import { NO_PROGRESS, showProgress, printable, type Style } from '../../../cli/shell/output.ts';
import { countText } from '../../../kernel/text/count-text.ts';
import { facts, shortTime, table, moreView } from '../../../cli/shell/layout.ts';
import { heldTexts, sizeText } from '../words.ts';

export type Snapshot = AnswerOf<'GET /_kyclone/snapshots/{name}'>;

export type Taken = AnswerOf<'PUT /_kyclone/snapshots/{name}/content'>;
export type Loaded = AnswerOf<'POST /_kyclone/snapshots/{name}/load'>;

interface Transfer {
  readonly client: Client;
  readonly isWatched: boolean;
}

export function looksLikeFile(text: string): boolean {
  return text === '-' || /[\\/]/.test(text) || text.endsWith('.kysnap');
}

/** The given name or file. Throws UsageError for both and for none. */
export function nameOrFile(
  given: string | undefined,
  file: string | undefined,
): { name: string } | { file: string } {
  if ((given === undefined) === (file === undefined))
    throw new UsageError('Name a snapshot, or a file with --file');
  if (file !== undefined) return { file };
  return looksLikeFile(given ?? '') ? { file: given ?? '' } : { name: given ?? '' };
}

/**
 * Checks the target before anything is saved; `where` is the argument that names the file. Throws UsageError, which
 * doesn't contain the path.
 */
export function snapshotTarget(
  file: string,
  mayReplace: boolean,
  where: '--file' | 'SNAPSHOT' = '--file',
): FileTarget {
  if (file === '-') throw new UsageError('A snapshot is written to a file: name one');
  if (!existsSync(dirname(resolve(file)))) {
    throw new UsageError(
      `${where} is a file in a folder that does not exist; nothing was saved`,
      where === 'SNAPSHOT' ? 'create the folder first; a name has no slash' : 'create the folder first',
    );
  }
  const flags = { file: where, force: '--overwrite' };
  return chooseTarget({ out: file, mayReplace, isData: false, flags });
}

/** Writes a snapshot to a file, readable by its owner only, atomically. */
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

/** Saves to a file only: the daemon keeps no copy. */
export async function saveToFile(transfer: Transfer & { target: FileTarget }): Promise<Snapshot> {
  const { client } = transfer;
  return await passingThrough(client, async (name) => {
    const saved = await client.call('PUT /_kyclone/snapshots/{name}', { params: { name } });
    await fetchSnapshot(name, transfer);
    return saved;
  });
}

/** Calls `use` with the name of an imported snapshot file while the daemon has it. */
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

/** Applies to every snapshot file. */
export const FILE_HELP =
  'A file is encrypted. Another instance opens it with the key of this user (snapshot.key in the configuration ' +
  'folder), or with KYCLONE_SNAPSHOT_KEY in the environment of kyclone start: 64 hexadecimal characters, for pipelines.';

type Diff = AnswerOf<'GET /_kyclone/snapshots/{name}/diff'>;
type EntityDiff = Diff['entities'][number];

export function snapshotListView({ data, meta }: AnswerOf<'GET /_kyclone/snapshots'>, style: Style): string {
  const rows = data.map(({ name, created_at: at, bytes, counts, problem }) => [
    name,
    shortTime(at),
    sizeText({ bytes }),
    problem === undefined ? (counts['users'] ?? 0) : '?',
    problem === undefined ? (counts['businesses'] ?? 0) : '?',
  ]);
  const headings = [
    'NAME',
    'SAVED (UTC)',
    { text: 'SIZE', drop: 1 },
    { text: 'USERS', drop: 2 },
    { text: 'BUSINESSES', drop: 3 },
  ];
  const problems = data.flatMap(({ name, problem }) =>
    problem === undefined ? [] : [`${name}: ${printable(problem)}`],
  );
  return [
    table(headings, rows, style, 'No snapshots'),
    ...problems,
    ...moreView(meta, data.length, style),
  ].join('\n');
}

export function snapshotView(snapshot: Snapshot, style: Style): string {
  const { name, created_at: saved, schema } = snapshot;
  const held = heldTexts(snapshot);
  const holds = held.length > 0 ? held : 'nobody';
  return facts({ snapshot: name, saved, size: sizeText(snapshot), schema, holds }, style);
}

export function loadedView(loaded: Loaded, style: Style): string {
  const again = restoredText(loaded.revived);
  const notes = again === '' ? [] : [`restored, although deleted or revoked since: ${again}`];
  return [snapshotView(loaded, style), ...notes].join('\n');
}

export function snapshotDeletedView({
  final,
  unreadable,
}: AnswerOf<'DELETE /_kyclone/snapshots/{name}'>): string {
  const gone = restoredText(final);
  const deleted =
    gone === ''
      ? 'Deleted'
      : `Deleted. No other snapshot here can bring back what was deleted or revoked: ${gone}`;
  const unknown = unreadable.map(
    ({ name, problem }) => `Not counted, since it could not be opened: ${name}: ${printable(problem)}`,
  );
  return [deleted, ...unknown].join('\n');
}

function restoredText({ entities, tokens, keys }: Loaded['revived']): string {
  const counted = { entities, client_tokens: tokens, api_keys: keys };
  return Object.entries(counted)
    .flatMap(([what, count]) => (count > 0 ? [countText(what, count)] : []))
    .join(', ');
}

/** One entity per line: + added, - removed, ~ changed, followed by the changed parts. No values are known here. */
export function snapshotDiffView({ from, to, entities }: Diff, style: Style): string {
  const later = to === '' ? 'now' : to;
  if (entities.length === 0) return `No difference between ${printable(from)} and ${printable(later)}`;
  const lines = entities.map((entity) => {
    const line = `${SIGN[entity.change]} ${printable(entity.id)}`;
    const paint = entity.change === 'added' ? style.good : entity.change === 'removed' ? style.bad : plain;
    return [paint(line), ...changesOf(entity).map((text) => style.dim(printable(text)))].join('  ');
  });
  const counted = (change: EntityDiff['change']) =>
    entities.filter((entity) => entity.change === change).length;
  const sum = `${counted('added')} added, ${counted('removed')} removed, ${counted('changed')} changed`;
  return [...lines, `${printable(from)} to ${printable(later)}: ${sum}`].join('\n');
}

const SIGN = { added: '+', removed: '-', changed: '~' } as const;
const plain = (text: string) => text;

function changesOf({ change, identifiers, also }: EntityDiff): string[] {
  const { added, removed, changed } = identifiers;
  if (change !== 'changed') return [];
  return [
    ...added.map((name) => `+${name}`),
    ...removed.map((name) => `-${name}`),
    ...changed.map((name) => `~${name}`),
    ...also,
  ];
}
