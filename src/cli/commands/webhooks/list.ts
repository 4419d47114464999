import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { pageFlags, pageQuery, spaceFlags, spaceQuery } from '../../shell/flags.ts';
import { endpointListView } from '../../webhooks/view.ts';

export default class WebhooksList extends BaseCommand<AnswerOf<'GET /_kyclone/webhooks'>> {
  static override aliases = ['webhooks:endpoints'];
  static override summary = 'List webhook endpoints, the URLs that events are sent to, newest first';
  static override examples = [
    '<%= config.bin %> webhooks list',
    '<%= config.bin %> webhooks list --output id',
  ];
  static override flags = { ...spaceFlags, ...pageFlags };

  async run(): Promise<AnswerOf<'GET /_kyclone/webhooks'>> {
    const { flags } = await this.parse(WebhooksList);
    const query = { ...spaceQuery(flags), ...pageQuery(flags) };
    return this.present(await this.client.call('GET /_kyclone/webhooks', { query }), endpointListView);
  }
}
