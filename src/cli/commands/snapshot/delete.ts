import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { yesFlag } from '../../shell/flags.ts';
import { nameArg, snapshotDeletedView } from '../../snapshot/snapshots.ts';

type Deleted = AnswerOf<'DELETE /_kyclone/snapshots/{name}'>;

export default class SnapshotDelete extends BaseCommand<Deleted> {
  static override summary = 'Delete a snapshot; this cannot be undone';
  static override description =
    'Deleted or revoked data is gone for good only when no snapshot holds it any more: the result counts what this ' +
    'one alone held.';
  static override examples = [
    '<%= config.bin %> snapshot delete before-migration --yes',
    '<%= config.bin %> snapshot delete nightly --yes --json',
  ];
  static override args = nameArg;
  static override flags = yesFlag;

  async run(): Promise<Deleted> {
    const { args } = await this.parse(SnapshotDelete);
    await this.confirmLoss('Delete the snapshot');
    const params = { name: args.name };
    const deleted = await this.client.call('DELETE /_kyclone/snapshots/{name}', { params });
    return this.present(deleted, snapshotDeletedView);
  }
}
