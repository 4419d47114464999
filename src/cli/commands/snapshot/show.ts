import { BaseCommand } from '../../shell/base-command.ts';
import { nameArg, type Snapshot } from '../../snapshot/files.ts';
import { snapshotView } from '../../snapshot/view.ts';

export default class SnapshotShow extends BaseCommand<Snapshot> {
  static override summary = 'Show what a snapshot holds';
  static override examples = [
    '<%= config.bin %> snapshot show before-migration',
    '<%= config.bin %> snapshot show before-migration --json',
  ];
  static override args = nameArg;

  async run(): Promise<Snapshot> {
    const { args } = await this.parse(SnapshotShow);
    const params = { name: args.name };
    return this.present(await this.client.call('GET /_kyclone/snapshots/{name}', { params }), snapshotView);
  }
}
