import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { pageFlags, pageQuery } from '../../shell/flags.ts';
import { faultListView } from '../../faults/faults.ts';

type Faults = AnswerOf<'GET /_kyclone/faults'>;

export default class FaultsList extends BaseCommand<Faults> {
  static override summary = 'List fault rules and how often they applied, in order of precedence';
  static override examples = ['<%= config.bin %> faults list', '<%= config.bin %> faults list --json'];
  static override flags = pageFlags;

  async run(): Promise<Faults> {
    const { flags } = await this.parse(FaultsList);
    const query = pageQuery(flags);
    return this.present(await this.client.call('GET /_kyclone/faults', { query }), faultListView);
  }
}
