/**
 * Models what a disk may hold after a power cut, from the events before it. Synced data is on the disk. Each write to a
 * file since its last sync is present, absent, or torn between two sectors. Changes of names keep their order, as in a
 * journalling file system: a prefix of them survives, which includes all that a later sync of the file or its folder
 * forces.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { DiskEvent } from './disk-trace.ts';
import type { SeededRandom } from './seeded.ts';

const SECTOR_BYTES = 512;

type Change = { readonly at: number; readonly bytes: Buffer } | { readonly length: number };

interface File {
  readonly isFolder: boolean;
  readonly synced: Change[];
  unsynced: Change[];
}

/** A change of names, as the file system's journal records it. */
interface NameChange {
  readonly path: string;
  readonly to?: string;
  readonly file?: File;
  readonly kind: 'add' | 'move' | 'link' | 'remove';
}

/** Empties `folder`, and puts into it what `events` may have left on a disk. */
export function layOutAfterPowerCut(
  events: readonly DiskEvent[],
  folder: string,
  random: SeededRandom,
): void {
  const names = new Map<string, File>();
  const journal: NameChange[] = [];
  let forced = 0;
  const change = (entry: NameChange) => {
    journal.push(entry);
    apply(names, entry);
  };
  const add = (path: string, isFolder: boolean): File => {
    const file: File = { isFolder, synced: [], unsynced: [] };
    change({ kind: 'add', path, file });
    return file;
  };
  for (const event of events) {
    switch (event.kind) {
      case 'answer':
        break;
      case 'folder':
        add(event.path, true);
        break;
      case 'create': {
        const file = names.get(event.path) ?? add(event.path, false);
        if (event.truncates) file.unsynced.push({ length: 0 });
        break;
      }
      case 'write':
        names.get(event.path)?.unsynced.push({ at: event.at, bytes: event.bytes });
        break;
      case 'truncate':
        names.get(event.path)?.unsynced.push({ length: event.length });
        break;
      case 'rename':
        change({ kind: 'move', path: event.path, to: event.to });
        break;
      case 'link':
        change({ kind: 'link', path: event.path, to: event.to });
        break;
      case 'remove':
        change({ kind: 'remove', path: event.path });
        break;
      case 'sync': {
        const file = names.get(event.path);
        if (file) {
          file.synced.push(...file.unsynced);
          file.unsynced = [];
        }
        forced = Math.max(forced, lastChangeOf(journal, event.path));
      }
    }
  }
  const kept = random.between(forced, journal.length);
  const left = new Map<string, File>();
  for (const entry of journal.slice(0, kept)) apply(left, entry);
  write(left, folder, random);
}

function apply(names: Map<string, File>, { kind, path, to = '', file }: NameChange): void {
  const moved = file ?? names.get(path);
  if (kind === 'remove' || kind === 'move') names.delete(path);
  if (moved && kind === 'add') names.set(path, moved);
  if (moved && (kind === 'move' || kind === 'link')) names.set(to, moved);
}

/** Returns how many changes of names a sync of this file or folder forces: up to the last one that touches it. */
function lastChangeOf(journal: readonly NameChange[], path: string): number {
  const touches = (one: string | undefined) => one === path || (one !== undefined && dirname(one) === path);
  return journal.findLastIndex((entry) => touches(entry.path) || touches(entry.to)) + 1;
}

function write(names: ReadonlyMap<string, File>, folder: string, random: SeededRandom): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  for (const [path, file] of names) {
    const place = join(folder, relative(folder, path));
    if (file.isFolder) mkdirSync(place, { recursive: true, mode: 0o700 });
    else {
      mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
      writeFileSync(place, contentOf(file, random), { mode: 0o600 });
    }
  }
}

function contentOf({ synced, unsynced }: File, random: SeededRandom): Buffer {
  let content: Buffer = Buffer.alloc(0);
  const put = (change: Change) => (content = changed(content, change));
  for (const each of synced) put(each);
  for (const each of unsynced) {
    const fate = random.below(3);
    if (fate === 0) put(each);
    if (fate === 1 && 'bytes' in each) put(torn(each, random));
  }
  return content;
}

/** Returns the part of a write that reached the disk: the sectors before a boundary, or those after it. */
function torn({ at, bytes }: { at: number; bytes: Buffer }, random: SeededRandom): Change {
  const boundaries = Math.ceil((at + bytes.length) / SECTOR_BYTES) - Math.floor(at / SECTOR_BYTES);
  const boundary = (Math.floor(at / SECTOR_BYTES) + random.below(boundaries + 1)) * SECTOR_BYTES - at;
  const cut = Math.min(Math.max(boundary, 0), bytes.length);
  return random.once(2)
    ? { at, bytes: bytes.subarray(0, cut) }
    : { at: at + cut, bytes: bytes.subarray(cut) };
}

function changed(content: Buffer, change: Change): Buffer {
  if ('length' in change) {
    return change.length <= content.length
      ? content.subarray(0, change.length)
      : Buffer.concat([content, Buffer.alloc(change.length - content.length)]);
  }
  const { at, bytes } = change;
  if (bytes.length === 0) return content;
  const longer = Math.max(at + bytes.length - content.length, 0);
  const next = Buffer.concat([content, Buffer.alloc(longer)]);
  bytes.copy(next, at);
  return next;
}
