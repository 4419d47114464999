import { string as stringArg } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { urlOf } from '../../webhooks/targets.ts';
import { endpointView } from '../../webhooks/view.ts';
import { spaceFlags, spaceQuery } from '../../shell/flags.ts';
import { EVENTS_SUMMARY, kindsFlag, secretFlag } from '../../webhooks/kinds.ts';

export default class WebhooksCreate extends BaseCommand<AnswerOf<'POST /_kyclone/webhooks'>> {
  static override aliases = ['webhooks:add'];
  static override summary =
    'Create a webhook endpoint for a URL, and print the secret that its events are signed with';
  static override examples = [
    '<%= config.bin %> webhooks create http://localhost:3000/hooks',
    '<%= config.bin %> webhooks create http://localhost:3000/hooks --events onboarding.completed --secret @secret.txt',
  ];
  static override args = {
    url: stringArg({ description: 'an http or https URL; 3000 is http://localhost:3000', required: true }),
  };
  static override flags = {
    events: kindsFlag({ summary: EVENTS_SUMMARY }),
    secret: secretFlag,
    disabled: boolean({ summary: 'send nothing to it until it is enabled' }),
    ...spaceFlags,
  };

  async run(): Promise<AnswerOf<'POST /_kyclone/webhooks'>> {
    const { args, flags } = await this.parse(WebhooksCreate);
    const secret = flags.secret === undefined ? undefined : await this.input.secret(flags.secret, 'Secret');
    const body = {
      url: urlOf(args.url),
      ...(flags.events && { kinds: flags.events }),
      ...(secret !== undefined && { secret }),
      ...(flags.disabled && { enabled: false }),
    };
    const query = spaceQuery(flags);
    return this.present(await this.client.call('POST /_kyclone/webhooks', { query, body }), endpointView);
  }
}
