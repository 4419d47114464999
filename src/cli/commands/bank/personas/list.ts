import type { AnswerOf } from '../../../../contract/registry.ts';
import { BaseCommand } from '../../../shell/base-command.ts';
import { personaListView } from '../../../bank/view.ts';

export default class BankPersonasList extends BaseCommand<AnswerOf<'GET /_kyclone/personas'>> {
  static override summary = 'List the personas whose bank data a link can bring';
  static override examples = [
    '<%= config.bin %> bank personas list',
    '<%= config.bin %> bank personas list --json',
  ];

  async run(): Promise<AnswerOf<'GET /_kyclone/personas'>> {
    await this.parse(BankPersonasList);
    return this.present(await this.client.call('GET /_kyclone/personas'), personaListView);
  }
}
