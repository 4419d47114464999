import { string as stringArg } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { resentView } from '../../webhooks/view.ts';
import { spaceFlags, spaceQuery } from '../../shell/flags.ts';

export default class WebhooksResend extends BaseCommand<AnswerOf<'POST /_kyclone/events/{id}/resend'>> {
  static override summary = 'Deliver an event again: under the same id, with a fresh signature';
  static override examples = [
    '<%= config.bin %> webhooks resend evt_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> webhooks resend evt_7p793EF07xKXHqAeg5VGPj --to whk_7p793EF07xKXHqAeg5VGPj',
  ];
  static override args = { id: stringArg({ description: 'id of an event (evt_...)', required: true }) };
  static override flags = {
    to: string({ summary: 'to this endpoint only', helpValue: 'ID' }),
    ...spaceFlags,
  };

  async run(): Promise<AnswerOf<'POST /_kyclone/events/{id}/resend'>> {
    const { args, flags } = await this.parse(WebhooksResend);
    const answer = await this.client.call('POST /_kyclone/events/{id}/resend', {
      params: { id: args.id },
      query: spaceQuery(flags),
      body: flags.to === undefined ? {} : { webhook_id: flags.to },
    });
    return this.present(answer, resentView);
  }
}
