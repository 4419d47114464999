import { boolean, option, string } from '@oclif/core/flags';
import { LOGIN_METHODS, USER_TOKEN_KINDS, USER_TOKEN_MINUTES } from '../../../contract/facts/onboardings.ts';
import { MINUTE_MS } from '../../../kernel/units.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { integerFlag, liveFlag, userArg } from '../../shell/flags.ts';
import { durationFlag } from '../../shell/times.ts';
import { userTokenBody } from '../../onboardings/sessions.ts';
import { sessionNote, sessionTokenView } from '../../onboardings/view.ts';

type HostedLink = AnswerOf<'POST /users/{fp_id}/token'>;

export default class OnboardingsToken extends BaseCommand<HostedLink> {
  static override summary = 'Begin a hosted flow for an existing user: prints its token';
  static override description =
    'onboard begins an onboarding, reonboard does so again, inherit continues the newest incomplete one, document asks ' +
    'for a document, user identifies the person, update_auth_methods asks for a new e-mail address or phone number ' +
    'and stores it. kyclone onboardings complete plays the person.';
  static override examples = [
    'TOKEN=$(<%= config.bin %> onboardings token fp_id_7p793EF07xKXHqAeg5VGPj --kind onboard --allow-reonboard)',
    '<%= config.bin %> onboardings token fp_id_7p793EF07xKXHqAeg5VGPj --kind update_auth_methods --ttl 1d --json',
  ];
  static override args = userArg;
  static override flags = {
    kind: option({
      summary: 'purpose of the flow',
      options: USER_TOKEN_KINDS,
      required: true,
    })(),
    playbook: string({
      summary: 'key of the playbook to onboard on (default: the first one for a user, or for a business)',
      helpValue: 'KEY',
    }),
    business: string({
      summary: 'id of a business of the user, which the flow onboards (fp_bid_…)',
      helpValue: 'FP_BID',
    }),
    'limit-auth-method': option({
      summary: 'offer only this way to be identified; may be repeated',
      options: LOGIN_METHODS,
      multiple: true,
    })(),
    ttl: durationFlag({
      summary: 'lifetime of the token: 30m, 2h, 7d (default: 1h)',
      min: USER_TOKEN_MINUTES.least * MINUTE_MS,
      max: USER_TOKEN_MINUTES.most * MINUTE_MS,
      step: MINUTE_MS,
    }),
    minutes: integerFlag({
      summary: 'the lifetime in minutes; --ttl replaces it',
      hidden: true,
      exclusive: ['ttl'],
      min: USER_TOKEN_MINUTES.least,
      max: USER_TOKEN_MINUTES.most,
      helpValue: 'N',
    }),
    'allow-reonboard': boolean({ summary: 'also when the user was onboarded on this playbook before' }),
    ...liveFlag,
  };

  async run(): Promise<HostedLink> {
    const { args, flags } = await this.parse(OnboardingsToken);
    const params = { fp_id: args.fp_id };
    const link = await this.client.call('POST /users/{fp_id}/token', { params, body: userTokenBody(flags) });
    this.note(sessionNote(link));
    return this.present(link, sessionTokenView);
  }
}
