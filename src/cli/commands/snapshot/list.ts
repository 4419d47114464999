import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { pageFlags, pageQuery } from '../../shell/flags.ts';
import { snapshotListView } from '../../snapshot/snapshots.ts';

export default class SnapshotList extends BaseCommand<AnswerOf<'GET /_kyclone/snapshots'>> {
  static override summary = 'List snapshots, newest first';
  static override examples = [
    '<%= config.bin %> snapshot list',
    '<%= config.bin %> snapshot list --page-size 5 --json',
  ];
  static override flags = pageFlags;

  async run(): Promise<AnswerOf<'GET /_kyclone/snapshots'>> {
    const { flags } = await this.parse(SnapshotList);
    const page = await this.client.call('GET /_kyclone/snapshots', { query: pageQuery(flags) });
    return this.present(page, snapshotListView);
  }
}
