import { boolean, string } from '@oclif/core/flags';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../base-command.ts';
import { entityFlag, fieldFlags, fieldsArg, liveFlag } from '../../flags.ts';
import { sessionBody } from '../../sessions.ts';
import { sessionNote, sessionTokenView } from '../../views/onboardings.ts';

type Session = AnswerOf<'POST /onboarding/session'>;

export default class OnboardingsBegin extends BaseCommand<Session> {
  static override summary =
    'Begin a hosted onboarding: prints the token for the embedded flow, good for 60 minutes';
  static override description =
    'Fields are what is known of the person beforehand. The person is played by kyclone onboardings complete.';
  static override examples = [
    'TOKEN=$(<%= config.bin %> onboardings begin --user-external-id customer-4711 id.email=jane@example.com)',
    '<%= config.bin %> onboardings begin --playbook pb_test_kybdefault000000000000 --business-external-id acme-4711 --json',
  ];
  static override args = fieldsArg;
  static override flags = {
    playbook: string({
      summary:
        'key of the playbook (default: the first one for a user, or for a business where one is named)',
      helpValue: 'KEY',
    }),
    'fp-id': entityFlag('the user, where there is one already', { names: 'user', helpValue: 'FP_ID' }),
    'user-external-id': string({ summary: 'your id of the user', helpValue: 'ID' }),
    'business-external-id': string({ summary: 'your id of the business', helpValue: 'ID' }),
    'allow-reonboard': boolean({ summary: 'also when it was onboarded on this playbook before' }),
    'external-id': string({ summary: 'id of yours for the onboarding', helpValue: 'ID' }),
    data: fieldFlags.data,
    ...liveFlag,
  };

  async run(): Promise<Session> {
    const { args, flags } = await this.parse(OnboardingsBegin);
    const body = sessionBody(flags, await this.readFields(args.fields, flags.data));
    const session = await this.client.call('POST /onboarding/session', { body });
    this.note(sessionNote(session));
    return this.present(session, sessionTokenView);
  }
}
