import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { recordingView } from '../../record/recording.ts';

type Recording = AnswerOf<'GET /_kyclone/recording'>;

export default class RecordStatus extends BaseCommand<Recording> {
  static override summary = 'Show whether calls are being recorded, and how many';
  static override examples = ['<%= config.bin %> record status', '<%= config.bin %> record status --json'];

  async run(): Promise<Recording> {
    await this.parse(RecordStatus);
    return this.present(await this.client.call('GET /_kyclone/recording'), recordingView);
  }
}
