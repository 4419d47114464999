import { BaseCommand } from '../../shell/base-command.ts';
import { requestArg, type JournalEntry } from '../../requests/filters.ts';
import { requestView } from '../../requests/view.ts';

export default class RequestsShow extends BaseCommand<JournalEntry> {
  static override summary = 'Show what was asked and answered in one request; values are masked';
  static override examples = [
    '<%= config.bin %> requests show req_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> requests show req_7p793EF07xKXHqAeg5VGPj --json',
  ];
  static override args = requestArg;

  async run(): Promise<JournalEntry> {
    const { args } = await this.parse(RequestsShow);
    const entry = await this.client.call('GET /_kyclone/requests/{id}', { params: { id: args.id } });
    return this.present(entry, requestView);
  }
}
