import { string as stringArg } from '@oclif/core/args';
import { derived, made } from '../../../cli/shell/derived.ts';
import { pageFlags, yesFlag } from '../../../cli/shell/flags.ts';
import {
  looksLikeFile,
  nameArg,
  snapshotArg,
  snapshotDeletedView,
  snapshotDiffView,
  snapshotListView,
  snapshotView,
  withFile,
} from './snapshots.ts';

export default {
  'snapshot:delete': derived('DELETE /_kyclone/snapshots/{name}', {
    summary: 'Delete a snapshot; this cannot be undone',
    description:
      'Deleted or revoked data is gone for good only when no snapshot holds it any more: the result counts what this ' +
      'one alone held.',
    examples: ['before-migration --yes', 'nightly --yes --json'],
    args: nameArg,
    flags: yesFlag,
    confirm: 'Delete the snapshot',
    view: snapshotDeletedView,
  }),
  'snapshot:get': derived('GET /_kyclone/snapshots/{name}', {
    summary: 'Show the contents of a snapshot',
    aliases: ['snapshot:show'],
    examples: ['before-migration', 'before-migration --json'],
    args: nameArg,
    view: snapshotView,
  }),
  'snapshot:list': derived('GET /_kyclone/snapshots', {
    summary: 'List snapshots, newest first',
    examples: ['', '--page-size 5 --json'],
    flags: pageFlags,
    view: snapshotListView,
  }),
  'snapshot:diff': made(
    {
      summary: 'Show the changes between a snapshot and another or the current state: names, no values',
      examples: ['before-migration', 'before-migration after-migration --json'],
      args: {
        ...snapshotArg,
        to: stringArg({ description: 'the snapshot to compare with (default: the current state)' }),
      },
      view: snapshotDiffView,
    },
    async ({ args: { snapshot, to } }, { client, isForPeople }) => {
      const named = <T>(given: string, use: (name: string) => Promise<T>): Promise<T> =>
        looksLikeFile(given)
          ? withFile(given, { client, isWatched: isForPeople, withAccess: true }, use)
          : use(given);
      const compare = (name: string, other?: string) =>
        client.call('GET /_kyclone/snapshots/{name}/diff', { params: { name }, query: { to: other } });
      const diff = await named(snapshot, (from) =>
        to === undefined ? compare(from) : named(to, (later) => compare(from, later)),
      );
      return { ...diff, from: snapshot, to: to ?? '' };
    },
  ),
};
