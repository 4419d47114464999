import { boolean } from '@oclif/core/flags';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { printable } from '../../shell/output.ts';
import { spaceFlags, spaceQuery } from '../../shell/flags.ts';
import { webhookArg } from '../../webhooks/kinds.ts';

export default class WebhooksSecret extends BaseCommand<AnswerOf<'GET /_kyclone/webhooks/{id}'>> {
  static override summary = 'Print the secret of a webhook endpoint, and nothing else';
  static override examples = [
    'export KYCLONE_WEBHOOK_SECRET=$(<%= config.bin %> webhooks secret whk_7p793EF07xKXHqAeg5VGPj)',
    '<%= config.bin %> webhooks secret whk_7p793EF07xKXHqAeg5VGPj --rotate',
  ];
  static override args = webhookArg;
  static override flags = {
    rotate: boolean({ summary: 'create a new one; for 24 hours deliveries are signed with both' }),
    ...spaceFlags,
  };

  async run(): Promise<AnswerOf<'GET /_kyclone/webhooks/{id}'>> {
    const { args, flags } = await this.parse(WebhooksSecret);
    const params = { id: args.id };
    const query = spaceQuery(flags);
    const endpoint = flags.rotate
      ? await this.client.call('POST /_kyclone/webhooks/{id}/rotate', { params, query })
      : await this.client.call('GET /_kyclone/webhooks/{id}', { params, query: { ...query, reveal: true } });
    return this.present(endpoint, ({ secret }) => printable(secret));
  }
}
