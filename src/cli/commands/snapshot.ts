import { derived } from '../shell/derived.ts';
import { pageFlags, yesFlag } from '../shell/flags.ts';
import { nameArg, snapshotDeletedView, snapshotListView, snapshotView } from '../snapshot/snapshots.ts';

export default {
  'snapshot:delete': derived('DELETE /_kyclone/snapshots/{name}', {
    summary: 'Delete a snapshot; this cannot be undone',
    description:
      'Deleted or revoked data is gone for good only when no snapshot holds it any more: the result counts what this ' +
      'one alone held.',
    examples: ['snapshot delete before-migration --yes', 'snapshot delete nightly --yes --json'],
    args: nameArg,
    flags: yesFlag,
    confirm: 'Delete the snapshot',
    view: snapshotDeletedView,
  }),
  'snapshot:get': derived('GET /_kyclone/snapshots/{name}', {
    summary: 'Show the contents of a snapshot',
    aliases: ['snapshot:show'],
    examples: ['snapshot get before-migration', 'snapshot get before-migration --json'],
    args: nameArg,
    view: snapshotView,
  }),
  'snapshot:list': derived('GET /_kyclone/snapshots', {
    summary: 'List snapshots, newest first',
    examples: ['snapshot list', 'snapshot list --page-size 5 --json'],
    flags: pageFlags,
    view: snapshotListView,
  }),
};
