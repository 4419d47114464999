import { string } from '@oclif/core/args';
import { option } from '@oclif/core/flags';
import { OUTCOMES } from '../../../contract/facts/onboardings.ts';
import { AUTH_KINDS } from '../../../contract/facts/onboardings.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { fieldFlags, fieldsArg } from '../../shell/flags.ts';
import { completionBody, requireOneStdin, TOKEN_HELP } from '../../onboardings/sessions.ts';
import { completionNotes, validationTokenView } from '../../onboardings/view.ts';

type Completed = AnswerOf<'POST /_kyclone/sessions/complete'>;

export default class OnboardingsComplete extends BaseCommand<Completed> {
  static override summary = 'Play the person who finishes a hosted onboarding: prints the validation token';
  static override description =
    'Fields are the values that the person types in: business.* goes to the business, everything else to the user. The ' +
    'validation token is valid for 15 minutes.';
  static override examples = [
    'VALIDATION=$(<%= config.bin %> onboardings complete "$TOKEN" --data @person.json)',
    '<%= config.bin %> onboardings complete - id.first_name=Jane id.last_name=Doe --result manual_review < token.txt',
  ];
  static override args = {
    token: string({ description: `the token of the session (obtok_…): ${TOKEN_HELP}`, required: true }),
    ...fieldsArg,
  };
  static override flags = {
    result: option({ summary: 'the outcome (sandbox only)', options: OUTCOMES })(),
    'auth-kind': option({
      summary: 'how the person signed in (default: sms)',
      options: AUTH_KINDS,
    })(),
    data: fieldFlags.data,
  };

  async run(): Promise<Completed> {
    const { args, flags } = await this.parse(OnboardingsComplete);
    const { result, 'auth-kind': authKind } = flags;
    requireOneStdin(args.token, args.fields, flags.data);
    const token = await this.input.secret(args.token, 'Session token');
    const body = completionBody(token, await this.readFields(args.fields, flags.data), {
      ...(result !== undefined && { fixture_result: result }),
      ...(authKind !== undefined && { auth_kind: authKind }),
    });
    const completed = await this.client.call('POST /_kyclone/sessions/complete', { body });
    for (const line of completionNotes(completed)) this.note(line);
    return this.present(completed, validationTokenView);
  }
}
