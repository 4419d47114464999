import { boolean } from '@oclif/core/flags';
import { accessText } from '../words.ts';
import { made } from '../../../cli/shell/derived.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
import { quietFlag, yesFlag } from '../../../cli/shell/flags.ts';
import {
  FILE_HELP,
  fileFlag,
  optionalSnapshotArg,
  nameOrFile,
  withFile,
  type Loaded,
  type Taken,
  loadedView,
} from './snapshots.ts';

type Result = Loaded & Partial<Pick<Taken, 'access'>>;

export default {
  'snapshot:load': made(
    {
      summary: 'Replace the whole state with a snapshot',
      description:
        'Address, control token, key slots and the keys of the local user stay. The current state is lost: save it ' +
        'first. A snapshot of an older version is migrated. It restores everything in it: data deleted or revoked ' +
        'since then comes back, and the result counts it; --keep-revoked leaves it deleted and revoked. The API keys, client ' +
        'tokens, webhook endpoints, hosts, origins and egress of a file are listed and left behind; --with-access takes ' +
        `them in. ${FILE_HELP}`,
      examples: ['before-migration --yes', './nightly.kysnap --yes', 'before-migration --keep-revoked --yes'],
      args: optionalSnapshotArg,
      flags: {
        ...fileFlag('load this file; - for stdin'),
        'keep-revoked': boolean({ summary: 'leave deleted what was deleted or revoked since' }),
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
};
