import { BaseCommand } from '../../base-command.ts';
import { quietFlag, yesFlag } from '../../flags.ts';
import { FILE_HELP, fileFlag, optionalSnapshotArg } from '../../snapshot/snapshot-args.ts';
import { nameOrFile, withFile, type Snapshot } from '../../snapshot/snapshot-files.ts';
import { snapshotView } from '../../views/snapshots.ts';

export default class SnapshotLoad extends BaseCommand<Snapshot> {
  static override summary = 'Replace the whole state by that of a snapshot';
  static override description =
    'Address, control token, key slots and the keys of the local user stay. What there is now is lost: save it ' +
    `first. A snapshot of an older version is migrated. ${FILE_HELP}`;
  static override examples = [
    '<%= config.bin %> snapshot load before-migration --yes',
    '<%= config.bin %> snapshot load ./nightly.kysnap --yes',
  ];
  static override args = optionalSnapshotArg;
  static override flags = {
    ...fileFlag('load this file; - for stdin'),
    ...yesFlag,
    ...quietFlag,
  };

  async run(): Promise<Snapshot> {
    const { args, flags } = await this.parse(SnapshotLoad);
    const given = nameOrFile(args.snapshot, flags.file);
    await this.confirmLoss('Replace the whole state by the snapshot');
    const { client } = this;
    const load = (name: string) => client.call('POST /_kyclone/snapshots/{name}/load', { params: { name } });
    const transfer = { client, isWatched: !flags.quiet && this.isForPeople };
    const loaded = 'name' in given ? await load(given.name) : await withFile(given.file, transfer, load);
    return this.present(loaded, snapshotView);
  }
}
