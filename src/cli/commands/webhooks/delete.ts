import { BaseCommand } from '../../shell/base-command.ts';
import { yesFlag, spaceFlags, spaceQuery } from '../../shell/flags.ts';
import { webhookArg } from '../../webhooks/kinds.ts';

export default class WebhooksDelete extends BaseCommand {
  static override aliases = ['webhooks:remove'];
  static override summary = 'Delete a webhook endpoint; pending deliveries to it are given up';
  static override examples = [
    '<%= config.bin %> webhooks delete whk_7p793EF07xKXHqAeg5VGPj --yes',
    '<%= config.bin %> webhooks delete whk_7p793EF07xKXHqAeg5VGPj --dry-run',
  ];
  static override args = webhookArg;
  static override flags = { ...yesFlag, ...spaceFlags };

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(WebhooksDelete);
    await this.confirmLoss('Delete this webhook endpoint with its deliveries');
    const options = { params: { id: args.id }, query: spaceQuery(flags) };
    return this.present(await this.client.call('DELETE /_kyclone/webhooks/{id}', options), () => 'Deleted');
  }
}
