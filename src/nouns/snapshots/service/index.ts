/** Snapshots of the whole state (contract §11). */
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AnswerOf } from '../../../contract/registry.ts';
import { SNAPSHOT_NAME } from '../words.ts';
import { timestamp } from '../../../kernel/time/clock.ts';
import { orderedPage } from '../../cursor.ts';
import { ServiceError, invalid } from '../../../kernel/errors.ts';
import { nextTurn } from '../../../kernel/time/turns.ts';
import { MIB } from '../../../kernel/numbers/units.ts';
import { numberPragma } from '../../../storage/binding.ts';
import type { Database } from '../../../storage/database.ts';
import { openSnapshot, type SnapshotFile } from '../../../storage/snapshot-file.ts';
import {
  emptyFile,
  nameTaken,
  orRemoved,
  removeDraft,
  settleFile,
  writeInto,
} from '../../../storage/snapshot-folder.ts';
import { answer, answered, type Handlers, type KeysUnder } from '../../handlers.ts';
import { adoptDraft, copyForElsewhere, bodyOfDraft, requireWhole, sealDraft } from './seal.ts';
import type { PageCheck, SnapshotContext } from './context.ts';
import { diffSnapshots } from './diff.ts';
import { loadSnapshot, writeSnapshot } from './whole-state.ts';
import { countLastCopies } from './restored.ts';

export { adoptFile, sealExisting, type Adopted } from './seal.ts';
export { createTurns, type Replacement, type SnapshotHome } from './context.ts';

// Checks that a snapshot is not made of a damaged store, since it could replace a good one.

/** Checking every page of this size takes some hundredths of a second. */
const SMALL_BYTES = 4 * MIB;

type DamageCheckContext = Pick<SnapshotContext, 'database' | 'beginPageCheck'>;

/** The check of a large store, to be started before the draft is written: its process starts meanwhile. */
function earlyCheck({ database, beginPageCheck }: DamageCheckContext): PageCheck | undefined {
  if (database.memory) return undefined;
  const bytes = numberPragma(database, 'page_count') * numberPragma(database, 'page_size');
  return bytes > SMALL_BYTES ? beginPageCheck() : undefined;
}

/**
 * Checks the content of the draft and, if the store is a file, every page of it; a large one in a separate process, so
 * that requests don't wait. `early`: that process, if it was started before. Throws `vault_damaged`.
 */
async function requireUndamaged(
  { database, beginPageCheck }: DamageCheckContext,
  draft: string,
  early?: PageCheck,
): Promise<void> {
  const isSmall = (await stat(draft)).size <= SMALL_BYTES;
  try {
    openSnapshot(draft, { isWhole: isSmall && !database.memory }).close();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'vault_damaged') throw error;
    throw damaged(error);
  }
  if (isSmall || database.memory || (await (early ?? beginPageCheck()).run(draft))) return;
  throw damaged();
}

function damaged(cause?: unknown): ServiceError {
  return new ServiceError(
    'vault_damaged',
    'The store is damaged, or not as kyclone made it: no snapshot was made. kyclone doctor --deep checks every page',
    { cause },
  );
}

export type Snapshot = AnswerOf<'GET /_kyclone/snapshots/{name}'>;
type Deleted = AnswerOf<'DELETE /_kyclone/snapshots/{name}'>;
type Unreadable = Deleted['unreadable'][number];
type ListedSnapshot = AnswerOf<'GET /_kyclone/snapshots'>['data'][number];

export type Snapshots = ReturnType<typeof createSnapshots>;

export function createSnapshots(context: SnapshotContext) {
  const { folder, turns } = context.home;
  /** Records of verified files that have not changed since: opening hundreds for each list takes a second. */
  const views = new Map<string, { readonly state: string | undefined; readonly view: Snapshot }>();

  async function requireFree(name: string, overwrite: boolean): Promise<void> {
    requireName(name);
    if (!overwrite && (await folder.find(name)) !== undefined) throw nameTaken();
  }

  async function requirePath(name: string): Promise<string> {
    if ((await folder.find(name)) === undefined) throw missing();
    return folder.pathOf(name);
  }

  /**
   * Verifies the snapshot before opening it. Throws `not_found`, `vault_damaged`, and `conflict` for one of a newer
   * version.
   */
  async function viewOf(name: string): Promise<Snapshot> {
    const stats = await folder.find(name);
    if (!stats) throw missing();
    const path = folder.pathOf(name);
    const state = folder.stateOf(path);
    const known = views.get(name);
    if (known !== undefined && known.state === state && folder.isVouched(path)) return known.view;
    const snapshot = await proven(name);
    snapshot.close();
    const { createdAt, counts } = snapshot.record;
    const { schema } = snapshot;
    const view = { name, created_at: timestamp(createdAt), bytes: stats.size, schema, counts: { ...counts } };
    views.set(name, { state, view });
    return view;
  }

  async function proven(name: string): Promise<SnapshotFile> {
    const path = folder.pathOf(name);
    await requireWhole(context, path);
    return openSnapshot(path, { isWhole: false });
  }

  /** Undefined when the name is not that of a snapshot, or it is gone. */
  async function listed(name: string): Promise<ListedSnapshot | undefined> {
    const stats = await folder.find(name);
    if (!stats || !SNAPSHOT_NAME.test(name)) return undefined;
    try {
      return await viewOf(name);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.code === 'not_found') return undefined;
      const created_at = timestamp(Math.floor(stats.mtimeMs));
      return { name, created_at, bytes: stats.size, schema: 0, counts: {}, problem: error.message };
    }
  }

  /** Names a finished and sealed draft; removes it on failure. */
  async function publish(draft: string, name: string, overwrite: boolean): Promise<Snapshot> {
    await orRemoved(draft, () => folder.publish(draft, name, overwrite));
    return await viewOf(name);
  }

  /** Writes a finished and sealed draft. Removes it when it is damaged or can't be sealed. */
  async function written(options: {
    draft: () => Promise<string>;
    isForElsewhere: boolean;
  }): Promise<string> {
    const check = earlyCheck(context);
    try {
      const draft = await writeSnapshot(context, options);
      await sealed(draft, options.isForElsewhere, check);
      return draft;
    } finally {
      check?.end();
    }
  }

  async function sealed(draft: string, isForElsewhere: boolean, check?: PageCheck): Promise<void> {
    await orRemoved(draft, async () => {
      // Both only read the draft, and checking a large one is left to another process.
      const [body, damageCheck] = await Promise.allSettled([
        bodyOfDraft(draft),
        requireUndamaged(context, draft, check),
      ]);
      if (damageCheck.status === 'rejected') throw damageCheck.reason;
      if (body.status === 'rejected') throw body.reason;
      await sealDraft(context, draft, { isForElsewhere, body: body.value });
    });
  }

  /** Undefined when it is gone. One that doesn't open is noted. */
  async function opened(name: string, unreadable: Unreadable[]): Promise<SnapshotFile | undefined> {
    if ((await folder.find(name)) === undefined) return undefined;
    try {
      return await proven(name);
    } catch (error) {
      unreadable.push({ name, problem: problemOf(error) });
      return undefined;
    }
  }

  /** Opens one snapshot at a time. */
  async function* othersThan(name: string, unreadable: Unreadable[]): AsyncGenerator<Database> {
    for (const each of await folder.names()) {
      await nextTurn();
      const other = each === name ? undefined : await opened(each, unreadable);
      if (!other) continue;
      try {
        yield other.database;
      } finally {
        other.close();
      }
    }
  }

  /** Deleted or revoked records that only this snapshot contains, as far as the snapshots can be opened. */
  async function finalWithout(name: string): Promise<Deleted> {
    const unreadable: Unreadable[] = [];
    const one = await opened(name, unreadable);
    if (!one) return { final: { entities: 0, tokens: 0, keys: 0 }, unreadable };
    try {
      const others = othersThan(name, unreadable);
      const final = await countLastCopies(context.database, one.database, others, context.clock.now());
      return { final, unreadable };
    } finally {
      one.close();
    }
  }

  return {
    handlers: {
      'PUT /_kyclone/snapshots/{name}': async ({ params: { name }, query: { overwrite = false } }) => {
        await requireFree(name, overwrite);
        const saved = turns.take(async () => {
          const draft = await written({ draft: () => folder.draft(), isForElsewhere: false });
          return await publish(draft, name, overwrite);
        });
        return await answered(saved);
      },

      'GET /_kyclone/snapshots': async ({ query }) => {
        const all: ListedSnapshot[] = [];
        for (const name of await folder.names()) {
          await nextTurn();
          const shown = await listed(name);
          if (shown) all.push(shown);
        }
        all.sort(byAge);
        const page = orderedPage(query, {
          by: { created_at: 'string', name: 'string' },
          list: ({ after, limit }) =>
            all.filter((each) => !after || byAge(each, after) > 0).slice(0, limit + 1),
          count: all.length,
          view: (each) => each,
        });
        return answer(page);
      },

      'GET /_kyclone/snapshots/{name}': async ({ params: { name } }) => {
        requireName(name);
        return answer(await viewOf(name));
      },

      'DELETE /_kyclone/snapshots/{name}': async ({ params: { name } }) => {
        requireName(name);
        const deleted = turns.take(async () => {
          const lost = await finalWithout(name);
          if (!(await folder.remove(name))) throw missing();
          views.delete(name);
          return lost;
        });
        return await answered(deleted);
      },

      'POST /_kyclone/snapshots/{name}/load': async ({ params: { name }, query, requestId }) => {
        requireName(name);
        const how = { requestId, keepRevoked: query.keep_revoked ?? false };
        const loaded = turns.takeAlone(async () => {
          const revived = await loadSnapshot(context, await requirePath(name), how);
          return { ...(await viewOf(name)), revived };
        });
        return await answered(loaded);
      },

      'GET /_kyclone/snapshots/{name}/diff': async ({ params: { name }, query: { to } }) => {
        requireName(name);
        if (to !== undefined) requireName(to);
        const changes = turns.take(async () => {
          const path = await requirePath(name);
          const other = to === undefined ? undefined : { name: to, path: await requirePath(to) };
          return await diffSnapshots(context, { name, path }, other);
        });
        return await answered(changes);
      },

      'GET /_kyclone/snapshots/{name}/content': async ({ params: { name } }) => {
        requireName(name);
        const copy = async () => copyForElsewhere(context, await requirePath(name));
        const { content, bytes } = await turns.take(copy);
        const disposition = `attachment; filename="${name}.kysnap"`;
        return answer(content, { 'content-length': String(bytes), 'content-disposition': disposition });
      },

      'PUT /_kyclone/snapshots/{name}/content': async ({ params: { name }, query, body }) => {
        const { overwrite = false, with_access: withAccess = false } = query;
        await requireFree(name, overwrite);
        const fill = (path: string) => writeInto(path, body.content);
        const { draft, access } = await adoptDraft(context, fill, { withAccess }).catch(asRefusedFile);
        const taken = async () => ({ ...(await publish(draft, name, overwrite)), access });
        return answer(await orRemoved(draft, () => turns.take(taken)));
      },
    } satisfies Handlers<KeysUnder<'/_kyclone/snapshots'>>,

    /** At a start: replaces the state by an imported file, and removes its draft. Throws as `load`. */
    async begin(draft: string): Promise<void> {
      try {
        folder.vouch(draft);
        const how = { requestId: undefined, keepRevoked: false };
        await turns.takeAlone(() => loadSnapshot(context, draft, how));
      } finally {
        await removeDraft(draft);
      }
    },

    /** Writes the state to a file for other instances, atomically replacing an existing one. */
    async exportFile(path: string): Promise<void> {
      await turns.take(async () => {
        const draft = await written({ draft: () => emptyFile(dirname(path)), isForElsewhere: true });
        await settleFile(draft, path, true);
      });
    },
  };
}

/** Why a snapshot could not be opened. Errors of the system may name paths. */
function problemOf(error: unknown): string {
  return error instanceof ServiceError ? error.message : 'Its file could not be read';
}

/** A damaged file in a request is the caller's mistake, not a damaged vault. */
function asRefusedFile(error: unknown): never {
  if (!(error instanceof ServiceError) || error.code !== 'vault_damaged') throw error;
  throw invalid(error.message, { cause: error });
}

/** Newest first; by name at the same time. */
function byAge(a: Pick<Snapshot, 'created_at' | 'name'>, b: Pick<Snapshot, 'created_at' | 'name'>): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? 1 : -1;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

function requireName(name: string): void {
  if (SNAPSHOT_NAME.test(name)) return;
  throw invalid(
    'The name of a snapshot is 1 to 64 of a-z, 0-9, ".", "_" and "-", and begins with a letter or digit',
  );
}

function missing(): ServiceError {
  return new ServiceError('not_found', 'There is no snapshot of this name');
}
