import { BaseCommand } from '../../shell/base-command.ts';
import { yesFlag } from '../../shell/flags.ts';
import { deletedView } from '../../entities/view.ts';

export default class RequestsDelete extends BaseCommand {
  static override aliases = ['requests:clear'];
  static override summary = 'Delete all requests of the journal; the access log stays';
  static override examples = [
    '<%= config.bin %> requests delete --yes',
    '<%= config.bin %> requests delete --yes --json',
  ];
  static override flags = yesFlag;

  async run(): Promise<unknown> {
    await this.parse(RequestsDelete);
    await this.confirmLoss('Delete all requests of the journal');
    return this.present(await this.client.call('DELETE /_kyclone/requests'), deletedView);
  }
}
