import type { AnswerOf } from '../../../../contract/registry.ts';
import { BaseCommand } from '../../../shell/base-command.ts';
import { pageFlags, pageQuery, spaceFlags, spaceQuery } from '../../../shell/flags.ts';
import { configListView } from '../../../proxy/configs.ts';

export default class ProxyConfigsList extends BaseCommand<AnswerOf<'GET /_kyclone/proxies'>> {
  static override summary = 'List stored proxy configurations, newest first';
  static override examples = [
    '<%= config.bin %> proxy configs list',
    '<%= config.bin %> proxy configs list --live --output id',
  ];
  static override flags = { ...spaceFlags, ...pageFlags };

  async run(): Promise<AnswerOf<'GET /_kyclone/proxies'>> {
    const { flags } = await this.parse(ProxyConfigsList);
    const query = { ...spaceQuery(flags), ...pageQuery(flags) };
    return this.present(await this.client.call('GET /_kyclone/proxies', { query }), configListView);
  }
}
