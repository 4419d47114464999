import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { recordingView } from '../../record/recording.ts';

type Recording = AnswerOf<'POST /_kyclone/recording'>;

export default class RecordStart extends BaseCommand<Recording> {
  static override summary = 'Start recording calls with their values, in the memory of the daemon';
  static override description =
    'Records calls of every client until kyclone record stop; 1,000 calls or 64 MiB at most. Files and proxied calls are ' +
    'left out, as are reset, snapshots and the keyring.';
  static override examples = ['<%= config.bin %> record start', '<%= config.bin %> record start --json'];

  async run(): Promise<Recording> {
    await this.parse(RecordStart);
    return this.present(await this.client.call('POST /_kyclone/recording'), recordingView);
  }
}
