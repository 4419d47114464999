import { existsSync } from 'node:fs';
import { string as stringArg } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { accessText } from '../words.ts';
import { derived, made } from '../../../cli/shell/derived.ts';
import type { ChosenInstance } from '../../../cli/shell/environment.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
import { pageFlags, quietFlag, yesFlag } from '../../../cli/shell/flags.ts';
import {
  FILE_HELP,
  fetchSnapshot,
  fileFlag,
  looksLikeFile,
  nameArg,
  nameOrFile,
  optionalSnapshotArg,
  saveToFile,
  snapshotArg,
  snapshotDeletedView,
  snapshotDiffView,
  snapshotListView,
  snapshotTarget,
  snapshotView,
  withFile,
  type Loaded,
  type Taken,
  loadedView,
} from './snapshots.ts';

/** Call it before the file is made: it notes whether that made a key, and where the key is that elsewhere opens it. */
function notingKey(instance: ChosenInstance | undefined): (note: (line: string) => void) => void {
  const file = instance?.paths.snapshotKeyFile;
  const isOld = file !== undefined && existsSync(file);
  return (note) => {
    if (file === undefined || !existsSync(file)) return;
    note(
      isOld
        ? `Elsewhere it opens with the key in ${file}, unless the daemon was started with a KYCLONE_SNAPSHOT_KEY`
        : `Elsewhere it opens with the key in ${file}, which is new: keep a copy apart. Files of before need the key of then`,
    );
  };
}

type Result = Loaded & Partial<Pick<Taken, 'access'>>;

export default {
  'snapshot:create': made(
    {
      aliases: ['snapshot:save'],
      summary: 'Create a snapshot of the whole state: under a name, in a file, or both',
      description: FILE_HELP,
      examples: [
        'before-migration',
        'nightly --overwrite --file ./nightly.kysnap',
        './fresh.kysnap --overwrite',
      ],
      args: optionalSnapshotArg,
      flags: {
        ...fileFlag('write it to this file, for another instance'),
        overwrite: boolean({ summary: 'replace a snapshot of this name, and the file' }),
        ...quietFlag,
      },
      view: snapshotView,
    },
    async (
      { args: { snapshot: given }, flags },
      { client, environment, isForPeople, note, target: instance },
    ) => {
      const isFile = given !== undefined && looksLikeFile(given);
      if (isFile && flags.file !== undefined)
        throw new UsageError('One file is enough: give a name with --file');
      const file = isFile ? given : flags.file;
      if (given === undefined && file === undefined)
        throw new UsageError('Give a name, or a file with --file');
      const where = isFile ? 'SNAPSHOT' : '--file';
      const target = file === undefined ? undefined : snapshotTarget(file, flags.overwrite, where);
      const transfer = { client, isWatched: !flags.quiet && isForPeople };
      const params = { name: given ?? '' };
      const query = { overwrite: flags.overwrite || undefined };
      const isNamed = given !== undefined && !isFile;
      const noteKey = target && notingKey(await instance().catch(() => undefined));
      const saved =
        isNamed || !target
          ? await client.call('PUT /_kyclone/snapshots/{name}', { params, query })
          : await saveToFile({ ...transfer, target });
      if (isNamed && target) await fetchSnapshot(given, { ...transfer, target });
      if (target) note(`Wrote ${target.path ?? ''}`);
      noteKey?.(note);
      if (target && environment.hasSnapshotKey) {
        note(
          'It opens with the KYCLONE_SNAPSHOT_KEY that the daemon was started with, if any, not with the one given here',
        );
      }
      return saved;
    },
  ),
  'snapshot:load': made(
    {
      summary: 'Replace the whole state with a snapshot',
      description:
        'Address, control token, key slots and the keys of the local user stay. The current state is lost: save it ' +
        'first. A snapshot of an older version is migrated. It restores everything in it: data deleted or revoked ' +
        'since then comes back. The result counts users, businesses, client tokens and API keys among it, and --keep-revoked ' +
        'leaves these deleted and revoked; all else comes back as it was saved, permissions of keys too. The API keys, client ' +
        'tokens, webhook endpoints, hosts, origins and egress of a file are listed and left behind; --with-access takes ' +
        `them in. ${FILE_HELP}`,
      examples: ['before-migration --yes', './nightly.kysnap --yes', 'before-migration --keep-revoked --yes'],
      args: optionalSnapshotArg,
      flags: {
        ...fileFlag('load this file; - for stdin'),
        'keep-revoked': boolean({
          summary:
            'leave users, businesses, client tokens and API keys deleted that were deleted or revoked since',
        }),
        'with-access': boolean({ summary: 'also take in the access that the file grants' }),
        ...yesFlag,
        ...quietFlag,
      },
      confirm: ({ args, flags }) => {
        if ('name' in nameOrFile(args.snapshot, flags.file) && flags['with-access'])
          throw new UsageError('--with-access is for a file: a snapshot by name keeps its own access');
        return 'Replace the whole state by the snapshot';
      },
      view: loadedView,
      note: ({ access }: Result, { flags }) => {
        const brought = access === undefined ? '' : accessText(access);
        if (brought === '') return undefined;
        return flags['with-access']
          ? `The file brought access, which is active now: ${brought}`
          : `The file also contains access, which was left behind (--with-access takes it in): ${brought}`;
      },
    },
    async ({ args, flags }, { client, isForPeople }): Promise<Result> => {
      const given = nameOrFile(args.snapshot, flags.file);
      const query = { keep_revoked: flags['keep-revoked'] || undefined };
      const load = (name: string) =>
        client.call('POST /_kyclone/snapshots/{name}/load', { params: { name }, query });
      if ('name' in given) return await load(given.name);
      const isWatched = !flags.quiet && isForPeople;
      const transfer = { client, isWatched, withAccess: flags['with-access'] };
      return await withFile(given.file, transfer, async (name, { access }) => ({
        ...(await load(name)),
        access,
      }));
    },
  ),
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
