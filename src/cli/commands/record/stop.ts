import { boolean, string } from '@oclif/core/flags';
import { BaseCommand } from '../../shell/base-command.ts';
import { chooseTarget } from '../../shell/files.ts';
import { stopRecording, type RecordedFixture, recordedFixtureView } from '../../record/recording.ts';

export default class RecordStop extends BaseCommand<RecordedFixture> {
  static override summary = 'End the recording, and make a fixture of it';
  static override description =
    'Ids and tokens that came from an answer become references, statuses what is expected. A file that ends in .json ' +
    'is JSON, any other YAML. The recording is forgotten then.';
  static override examples = [
    '<%= config.bin %> record stop --out signup.yaml',
    'Without what was written into vaults, which must be given with --set then:\n' +
      '<%= config.bin %> record stop --mask --out signup.yaml',
  ];
  static override flags = {
    out: string({ summary: 'the file to write; - for stdout even on a terminal', helpValue: 'FILE' }),
    force: boolean({ summary: 'replace a file that is there' }),
    mask: boolean({ summary: 'make variables of vault values, which must be given when it is run' }),
  };

  async run(): Promise<RecordedFixture> {
    const { flags } = await this.parse(RecordStop);
    const target = chooseTarget({
      out: flags.out,
      mayReplace: flags.force,
      isData: !this.isForPeople && !this.isDryRun,
    });
    const recorded = await stopRecording(this.client, { target, isMasked: flags.mask });
    if (recorded.file !== null) this.present(recorded, recordedFixtureView);
    if (!flags.mask)
      this.note('It holds what was sent, values of vaults too; --mask makes variables of these');
    if (recorded.left_out > 0)
      this.note(`${recorded.left_out} calls are left out: a fixture cannot hold them`);
    return recorded;
  }
}
