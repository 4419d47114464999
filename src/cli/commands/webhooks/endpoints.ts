import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { pageFlags, pageQuery } from '../../shell/flags.ts';
import { endpointListView } from '../../webhooks/view.ts';
import { spaceFlags, spaceQuery } from '../../shell/space.ts';

export default class WebhooksEndpoints extends BaseCommand<AnswerOf<'GET /_kyclone/webhooks'>> {
  static override summary = 'List the URLs that events are sent to, newest first';
  static override examples = [
    '<%= config.bin %> webhooks endpoints',
    '<%= config.bin %> webhooks endpoints --output id',
  ];
  static override flags = { ...spaceFlags, ...pageFlags };

  async run(): Promise<AnswerOf<'GET /_kyclone/webhooks'>> {
    const { flags } = await this.parse(WebhooksEndpoints);
    const query = { ...spaceQuery(flags), ...pageQuery(flags) };
    return this.present(await this.client.call('GET /_kyclone/webhooks', { query }), endpointListView);
  }
}
