import { option, string } from '@oclif/core/flags';
import { ENVIRONMENTS } from '../../../contract/facts/entities.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { pageFlags, pageQuery } from '../../shell/flags.ts';
import { keyListView } from '../../instance/control-view.ts';

export default class KeysList extends BaseCommand<AnswerOf<'GET /_kyclone/api-keys'>> {
  static override summary = 'List API keys, without the keys themselves';
  static override examples = [
    '<%= config.bin %> keys list',
    '<%= config.bin %> keys list --environment live',
  ];
  static override flags = {
    tenant: string({ summary: 'only those of this tenant', helpValue: 'NAME' }),
    environment: option({
      summary: 'only those of this environment',
      options: ENVIRONMENTS,
    })(),
    ...pageFlags,
  };

  async run(): Promise<AnswerOf<'GET /_kyclone/api-keys'>> {
    const { flags } = await this.parse(KeysList);
    const query = { tenant: flags.tenant, environment: flags.environment, ...pageQuery(flags) };
    return this.present(await this.client.call('GET /_kyclone/api-keys', { query }), keyListView);
  }
}
