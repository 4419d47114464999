import { BaseCommand } from '../../shell/base-command.ts';
import { requestArg, type JournalEntry, requestView } from '../../requests/requests.ts';

export default class RequestsGet extends BaseCommand<JournalEntry> {
  static override aliases = ['requests:show'];
  static override summary = 'Show a request with its response; values are masked';
  static override examples = [
    '<%= config.bin %> requests get req_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> requests get req_7p793EF07xKXHqAeg5VGPj --json',
  ];
  static override args = requestArg;

  async run(): Promise<JournalEntry> {
    const { args } = await this.parse(RequestsGet);
    const entry = await this.client.call('GET /_kyclone/requests/{id}', { params: { id: args.id } });
    return this.present(entry, requestView);
  }
}
