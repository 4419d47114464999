import { string } from '@oclif/core/args';
import { BaseCommand } from '../../shell/base-command.ts';
import { faultsClearedView } from '../../faults/faults.ts';

export default class FaultsDelete extends BaseCommand {
  static override aliases = ['faults:clear'];
  static override summary = 'Delete fault rules by id, or all';
  static override description = 'It asks for no confirmation. Afterwards requests work normally again.';
  static override examples = [
    '<%= config.bin %> faults delete',
    '<%= config.bin %> faults delete flt_7p793EF07xKXHqAeg5VGPj',
  ];
  static override args = {
    ids: string({ description: 'ids of rules (flt_…); default: all', multiple: true }),
  };

  async run(): Promise<unknown> {
    const { args } = await this.parse(FaultsDelete);
    const { ids = [] } = args;
    let answer: unknown = {};
    if (ids.length === 0) answer = await this.client.call('DELETE /_kyclone/faults');
    for (const id of ids) answer = await this.client.call('DELETE /_kyclone/faults/{id}', { params: { id } });
    return this.present(answer, () => faultsClearedView(ids));
  }
}
