import { boolean, string } from '@oclif/core/flags';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { UsageError } from '../../shell/failure.ts';
import { urlOf } from '../../webhooks/targets.ts';
import { endpointView } from '../../webhooks/view.ts';
import { spaceFlags, spaceQuery } from '../../shell/flags.ts';
import { EVENTS_SUMMARY, kindsFlag, webhookArg } from '../../webhooks/kinds.ts';

export default class WebhooksUpdate extends BaseCommand<AnswerOf<'PATCH /_kyclone/webhooks/{id}'>> {
  static override summary = 'Change, disable or enable a webhook endpoint';
  static override examples = [
    '<%= config.bin %> webhooks update whk_7p793EF07xKXHqAeg5VGPj --enable',
    "<%= config.bin %> webhooks update whk_7p793EF07xKXHqAeg5VGPj --events '*'",
  ];
  static override args = webhookArg;
  static override flags = {
    url: string({ summary: 'the new URL', helpValue: 'URL' }),
    events: kindsFlag({ summary: EVENTS_SUMMARY }),
    enable: boolean({ summary: 'send to it again' }),
    disable: boolean({ summary: 'send nothing to it' }),
    ...spaceFlags,
  };

  async run(): Promise<AnswerOf<'PATCH /_kyclone/webhooks/{id}'>> {
    const { args, flags } = await this.parse(WebhooksUpdate);
    if (flags.enable && flags.disable) throw new UsageError('--enable and --disable are opposites');
    const body = {
      ...(flags.url !== undefined && { url: urlOf(flags.url) }),
      ...(flags.events && { kinds: flags.events }),
      ...((flags.enable || flags.disable) && { enabled: flags.enable }),
    };
    if (Object.keys(body).length === 0) {
      throw new UsageError('There is nothing to change', 'give --url, --events, --enable or --disable');
    }
    const options = { params: { id: args.id }, query: spaceQuery(flags), body };
    return this.present(await this.client.call('PATCH /_kyclone/webhooks/{id}', options), endpointView);
  }
}
