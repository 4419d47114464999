import { boolean } from '@oclif/core/flags';
import { accessText } from '../endpoints/access.ts';
import { BaseCommand } from '../../../cli/shell/base-command.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
import { quietFlag, yesFlag } from '../../../cli/shell/flags.ts';
import { printable } from '../../../cli/shell/output.ts';
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

class SnapshotLoad extends BaseCommand<Loaded & Partial<Pick<Taken, 'access'>>> {
  static override summary = 'Replace the whole state with a snapshot';
  static override description =
    'Address, control token, key slots and the keys of the local user stay. The current state is lost: save it ' +
    'first. A snapshot of an older version is migrated. It restores everything in it: data deleted or revoked ' +
    'since then comes back, and the result counts it; --keep-revoked leaves it deleted and revoked. The API keys, client ' +
    'tokens, webhook endpoints, hosts, origins and egress of a file are listed and left behind; --with-access takes ' +
    `them in. ${FILE_HELP}`;
  static override examples = [
    'before-migration --yes',
    './nightly.kysnap --yes',
    'before-migration --keep-revoked --yes',
  ];
  static override args = optionalSnapshotArg;
  static override flags = {
    ...fileFlag('load this file; - for stdin'),
    'keep-revoked': boolean({ summary: 'leave deleted what was deleted or revoked since' }),
    'with-access': boolean({ summary: 'also take in the access that the file grants' }),
    ...yesFlag,
    ...quietFlag,
  };

  async run(): Promise<Loaded & Partial<Pick<Taken, 'access'>>> {
    const { args, flags } = await this.parse(SnapshotLoad);
    const given = nameOrFile(args.snapshot, flags.file);
    const withAccess = flags['with-access'];
    if ('name' in given && withAccess)
      throw new UsageError('--with-access is for a file: a snapshot by name keeps its own access');
    await this.confirmLoss('Replace the whole state by the snapshot');
    const { client } = this;
    const query = { keep_revoked: flags['keep-revoked'] || undefined };
    const load = (name: string) =>
      client.call('POST /_kyclone/snapshots/{name}/load', { params: { name }, query });
    if ('name' in given) return this.present(await load(given.name), loadedView);
    const transfer = { client, isWatched: !flags.quiet && this.isForPeople, withAccess };
    const loaded = await withFile(given.file, transfer, async (name, { access }) => ({
      ...(await load(name)),
      access,
    }));
    const brought = accessText(loaded.access);
    if (brought !== '') {
      this.note(
        withAccess
          ? `The file brought access, which is active now: ${printable(brought)}`
          : `The file also contains access, which was left behind (--with-access takes it in): ${printable(brought)}`,
      );
    }
    return this.present(loaded, loadedView);
  }
}

export default { 'snapshot:load': SnapshotLoad };
