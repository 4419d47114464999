import { BaseCommand } from '../../../shell/base-command.ts';
import { sessionArg } from '../../../onboardings/sessions.ts';
import { yesFlag, spaceFlags, spaceQuery } from '../../../shell/flags.ts';

export default class OnboardingsSessionsDelete extends BaseCommand {
  static override summary = 'Close a hosted flow: its token no longer opens anything';
  static override description = 'Its onboarding stays incomplete; another session may continue it.';
  static override examples = [
    '<%= config.bin %> onboardings sessions delete ses_7p793EF07xKXHqAeg5VGPj --yes',
    '<%= config.bin %> onboardings sessions delete ses_7p793EF07xKXHqAeg5VGPj --dry-run',
  ];
  static override args = sessionArg;
  static override flags = { ...yesFlag, ...spaceFlags };

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(OnboardingsSessionsDelete);
    await this.confirmLoss('Close this session');
    const answer = await this.client.call('DELETE /_kyclone/sessions/{id}', {
      params: { id: args.id },
      query: spaceQuery(flags),
    });
    return this.present(answer, () => 'Closed');
  }
}
