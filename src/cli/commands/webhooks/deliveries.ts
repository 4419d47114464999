import { option, string } from '@oclif/core/flags';
import { DELIVERY_STATUSES } from '../../../contract/facts/webhooks.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { pageFlags, pageQuery, spaceFlags, spaceQuery } from '../../shell/flags.ts';
import { attemptsView, deliveryListView } from '../../webhooks/view.ts';

export default class WebhooksDeliveries extends BaseCommand<AnswerOf<'GET /_kyclone/deliveries'>> {
  static override summary = 'List deliveries with their receivers and results, newest first';
  static override description = 'The deliveries of one event are shown with all their attempts.';
  static override examples = [
    '<%= config.bin %> webhooks deliveries --status failed',
    '<%= config.bin %> webhooks deliveries --event evt_7p793EF07xKXHqAeg5VGPj',
  ];
  static override flags = {
    status: option({ summary: 'only with this status', options: DELIVERY_STATUSES })(),
    event: string({ summary: 'only of this event, with all attempts', helpValue: 'ID' }),
    webhook: string({ summary: 'only to this endpoint', helpValue: 'ID' }),
    kind: string({ summary: 'only of events of this kind', helpValue: 'KIND' }),
    ...spaceFlags,
    ...pageFlags,
  };

  async run(): Promise<AnswerOf<'GET /_kyclone/deliveries'>> {
    const { flags } = await this.parse(WebhooksDeliveries);
    const { status, event: event_id, webhook: webhook_id, kind } = flags;
    const query = { status, event_id, webhook_id, kind, ...spaceQuery(flags), ...pageQuery(flags) };
    const page = await this.client.call('GET /_kyclone/deliveries', { query });
    return this.present(
      page,
      event_id === undefined ? deliveryListView : ({ data }, style) => attemptsView(data, style),
    );
  }
}
