import { BaseCommand } from '../../shell/base-command.ts';
import { nameArg, type Snapshot, snapshotView } from '../../snapshot/snapshots.ts';

export default class SnapshotGet extends BaseCommand<Snapshot> {
  static override aliases = ['snapshot:show'];
  static override summary = 'Show the contents of a snapshot';
  static override examples = [
    '<%= config.bin %> snapshot get before-migration',
    '<%= config.bin %> snapshot get before-migration --json',
  ];
  static override args = nameArg;

  async run(): Promise<Snapshot> {
    const { args } = await this.parse(SnapshotGet);
    const params = { name: args.name };
    return this.present(await this.client.call('GET /_kyclone/snapshots/{name}', { params }), snapshotView);
  }
}
