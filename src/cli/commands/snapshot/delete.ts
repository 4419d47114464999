import { BaseCommand } from '../../base-command.ts';
import { yesFlag } from '../../flags.ts';
import { nameArg } from '../../snapshot/snapshot-args.ts';
import { deletedView } from '../../views/entities.ts';

export default class SnapshotDelete extends BaseCommand {
  static override summary = 'Delete a snapshot; there is no way back';
  static override examples = [
    '<%= config.bin %> snapshot delete before-migration --yes',
    '<%= config.bin %> snapshot delete nightly --yes --json',
  ];
  static override args = nameArg;
  static override flags = yesFlag;

  async run(): Promise<unknown> {
    const { args } = await this.parse(SnapshotDelete);
    await this.confirmLoss('Delete the snapshot');
    const params = { name: args.name };
    return this.present(await this.client.call('DELETE /_kyclone/snapshots/{name}', { params }), deletedView);
  }
}
