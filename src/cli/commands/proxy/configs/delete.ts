import { BaseCommand } from '../../../shell/base-command.ts';
import { yesFlag, spaceFlags, spaceQuery } from '../../../shell/flags.ts';
import { configArg } from '../../../proxy/configs.ts';

export default class ProxyConfigsDelete extends BaseCommand {
  static override summary = 'Delete a stored proxy configuration with its secrets';
  static override examples = [
    '<%= config.bin %> proxy configs delete proxy_id_7p793EF07xKXHqAeg5VGPj --yes',
    '<%= config.bin %> proxy configs delete proxy_id_7p793EF07xKXHqAeg5VGPj --dry-run',
  ];
  static override args = configArg;
  static override flags = { ...yesFlag, ...spaceFlags };

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(ProxyConfigsDelete);
    await this.confirmLoss('Delete this proxy configuration with its secrets');
    const options = { params: { id: args.id }, query: spaceQuery(flags) };
    return this.present(await this.client.call('DELETE /_kyclone/proxies/{id}', options), () => 'Deleted');
  }
}
