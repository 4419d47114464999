import { BaseCommand } from '../../shell/base-command.ts';
import { yesFlag } from '../../shell/flags.ts';
import { deletedView } from '../../entities/view.ts';

export default class RequestsClear extends BaseCommand {
  static override summary = 'Empty the journal; the access log stays';
  static override examples = [
    '<%= config.bin %> requests clear --yes',
    '<%= config.bin %> requests clear --yes --json',
  ];
  static override flags = yesFlag;

  async run(): Promise<unknown> {
    await this.parse(RequestsClear);
    await this.confirmLoss('Empty the journal');
    return this.present(await this.client.call('DELETE /_kyclone/requests'), deletedView);
  }
}
