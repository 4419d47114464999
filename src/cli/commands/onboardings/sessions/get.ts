import { BaseCommand } from '../../../shell/base-command.ts';
import { sessionArg, type Session, sessionView } from '../../../onboardings/sessions.ts';
import { spaceFlags, spaceQuery } from '../../../shell/flags.ts';

export default class OnboardingsSessionsGet extends BaseCommand<Session> {
  static override summary = 'Show a hosted flow, and whether it is open';
  static override examples = [
    '<%= config.bin %> onboardings sessions get ses_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> onboardings sessions get ses_7p793EF07xKXHqAeg5VGPj --json',
  ];
  static override args = sessionArg;
  static override flags = spaceFlags;

  async run(): Promise<Session> {
    const { args, flags } = await this.parse(OnboardingsSessionsGet);
    const session = await this.client.call('GET /_kyclone/sessions/{id}', {
      params: { id: args.id },
      query: spaceQuery(flags),
    });
    return this.present(session, sessionView);
  }
}
