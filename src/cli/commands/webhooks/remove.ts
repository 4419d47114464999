import { BaseCommand } from '../../shell/base-command.ts';
import { yesFlag } from '../../shell/flags.ts';
import { spaceFlags, spaceQuery } from '../../shell/space.ts';
import { webhookArg } from '../../webhooks/flags.ts';

export default class WebhooksRemove extends BaseCommand {
  static override summary = 'Delete a webhook endpoint; what is on its way to it is given up';
  static override examples = [
    '<%= config.bin %> webhooks remove whk_7p793EF07xKXHqAeg5VGPj --yes',
    '<%= config.bin %> webhooks remove whk_7p793EF07xKXHqAeg5VGPj --dry-run',
  ];
  static override args = webhookArg;
  static override flags = { ...yesFlag, ...spaceFlags };

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(WebhooksRemove);
    await this.confirmLoss('Delete this webhook endpoint with its deliveries');
    const options = { params: { id: args.id }, query: spaceQuery(flags) };
    return this.present(await this.client.call('DELETE /_kyclone/webhooks/{id}', options), () => 'Deleted');
  }
}
