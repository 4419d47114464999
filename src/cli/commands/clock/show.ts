import { BaseCommand } from '../../shell/base-command.ts';
import { clockState, type ClockState } from '../../clock/moves.ts';
import { clockView } from '../../clock/view.ts';

export default class ClockShow extends BaseCommand<ClockState> {
  static override summary = 'Show what time it is in the instance';
  static override examples = ['<%= config.bin %> clock show', '<%= config.bin %> clock show --json'];

  async run(): Promise<ClockState> {
    await this.parse(ClockShow);
    return this.present(await clockState(this.client), clockView);
  }
}
