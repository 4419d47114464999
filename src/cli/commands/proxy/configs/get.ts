import type { AnswerOf } from '../../../../contract/registry.ts';
import { BaseCommand } from '../../../shell/base-command.ts';
import { configArg, configView } from '../../../proxy/configs.ts';
import { spaceFlags, spaceQuery } from '../../../shell/flags.ts';

export default class ProxyConfigsGet extends BaseCommand<AnswerOf<'GET /_kyclone/proxies/{id}'>> {
  static override summary = 'Show a stored proxy configuration, without its secrets';
  static override examples = [
    '<%= config.bin %> proxy configs get proxy_id_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> proxy configs get proxy_id_7p793EF07xKXHqAeg5VGPj --json',
  ];
  static override args = configArg;
  static override flags = spaceFlags;

  async run(): Promise<AnswerOf<'GET /_kyclone/proxies/{id}'>> {
    const { args, flags } = await this.parse(ProxyConfigsGet);
    const options = { params: { id: args.id }, query: spaceQuery(flags) };
    return this.present(await this.client.call('GET /_kyclone/proxies/{id}', options), configView);
  }
}
