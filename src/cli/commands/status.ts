import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../shell/base-command.ts';
import {
  summarise,
  withoutSecrets,
  type OpenSummary,
  secretSummaryView,
  summaryView,
} from '../instance/view.ts';

export default class Status extends BaseCommand<OpenSummary> {
  static override summary = 'Show the running daemon; exit code 5 when there is none';
  static override examples = ['', '--json | jq -r .base_url', '--show-secrets --json | jq -r .control_token'];

  static override flags = {
    'show-secrets': boolean({ summary: 'include the API keys and the control token' }),
  };

  async run(): Promise<OpenSummary> {
    const { flags } = await this.parse(Status);
    const summary = await summarise(await this.access);
    if (!flags['show-secrets']) return this.present(withoutSecrets(summary), summaryView);
    this.present(summary, () => secretSummaryView(summary, this.style));
    return summary;
  }
}
