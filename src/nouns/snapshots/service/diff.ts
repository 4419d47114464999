/** Compares a snapshot with another one, or with the current state: names, no values. */
import type { AnswerOf } from '../../../contract/registry.ts';
import { compareSnapshots, isOlder, migrateSnapshot } from '../../../storage/snapshot-comparison.ts';
import { openSnapshot } from '../../../storage/snapshot-file.ts';
import { copyInto, removeDraft } from '../../../storage/snapshot-folder.ts';
import type { SnapshotContext } from './context.ts';
import { writeSnapshot } from './whole-state.ts';
import { requireWhole, unsealDraft } from './seal.ts';

type SnapshotDiff = AnswerOf<'GET /_kyclone/snapshots/{name}/diff'>;
type EntityDiff = SnapshotDiff['entities'][number];
type Changed = { -readonly [Kind in keyof EntityDiff['identifiers']]: string[] };

interface Side {
  readonly name: string;
  readonly path: string;
}

/** `to` undefined is the current state, whose name is an empty text. */
export async function diffSnapshots(
  context: SnapshotContext,
  from: Side,
  to: Side | undefined,
): Promise<SnapshotDiff> {
  const drafts: string[] = [];
  try {
    const now = () => context.home.folder.draft();
    const later = to ?? {
      name: '',
      path: await writeSnapshot(context, { draft: now, isForElsewhere: false, withFiles: false }),
    };
    if (!to) drafts.push(later.path);
    await requireWhole(context, from.path);
    if (to) await requireWhole(context, to.path);
    const [one, other] = [await upToDate(context, from, drafts), await upToDate(context, later, drafts)];
    const { added, removed, identifiers, aspects } = await compareSnapshots(one.path, other.path);

    const changes = new Map<string, { change: EntityDiff['change']; identifiers: Changed; also: string[] }>();
    const entry = (id: string) => {
      let found = changes.get(id);
      if (!found) {
        found = { change: 'changed', identifiers: { added: [], removed: [], changed: [] }, also: [] };
        changes.set(id, found);
      }
      return found;
    };
    for (const id of added) entry(id).change = 'added';
    for (const id of removed) entry(id).change = 'removed';
    for (const each of identifiers) entry(each.fp_id).identifiers[each.change].push(each.identifier);
    for (const { fp_id, aspect } of aspects) entry(fp_id).also.push(aspect);
    const sorted = [...changes].sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      from: from.name,
      to: later.name,
      entities: sorted.map(([id, change]) => ({ id, ...change })),
      counts: { from: one.counts, to: other.counts },
    };
  } finally {
    for (const draft of drafts) await removeDraft(draft);
  }
}

/** The snapshot itself, or a migrated copy. */
async function upToDate({ home }: SnapshotContext, { path }: Side, drafts: string[]) {
  const snapshot = openSnapshot(path, { isWhole: false });
  snapshot.close();
  const counts = { ...snapshot.record.counts };
  if (!isOlder(snapshot)) return { path, counts };
  const draft = await home.folder.draft();
  drafts.push(draft);
  await copyInto(draft, path);
  await unsealDraft(draft);
  migrateSnapshot(draft);
  return { path: draft, counts };
}
