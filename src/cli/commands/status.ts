import { BaseCommand } from '../base-command.ts';
import { summarise, type InstanceSummary } from '../instance-summary.ts';
import { summaryView } from '../views/lifecycle.ts';

export default class Status extends BaseCommand<InstanceSummary> {
  static override summary = 'Show the running daemon; exit code 5 when there is none';
  static override description = 'With --json the API keys and the control token are part of the answer.';
  static override examples = [
    '<%= config.bin %> status',
    '<%= config.bin %> status --json | jq -r .base_url',
  ];

  async run(): Promise<InstanceSummary> {
    await this.parse(Status);
    return this.present(await summarise(await this.access), summaryView);
  }
}
