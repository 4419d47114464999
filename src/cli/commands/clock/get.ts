import { BaseCommand } from '../../shell/base-command.ts';
import { clockState, type ClockState, clockView } from '../../clock/clock.ts';

export default class ClockGet extends BaseCommand<ClockState> {
  static override aliases = ['clock:show'];
  static override summary = 'Show what time it is in the instance';
  static override examples = ['<%= config.bin %> clock get', '<%= config.bin %> clock get --json'];

  async run(): Promise<ClockState> {
    await this.parse(ClockGet);
    return this.present(await clockState(this.client), clockView);
  }
}
