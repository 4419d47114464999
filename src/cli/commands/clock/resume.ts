import { ClockCommand } from '../../clock/command.ts';
import type { Moved } from '../../clock/moves.ts';

export default class ClockResume extends ClockCommand {
  static override summary = 'Go back to real time';
  static override examples = ['<%= config.bin %> clock resume', '<%= config.bin %> clock resume --field now'];

  async run(): Promise<Moved> {
    await this.parse(ClockResume);
    return await this.move({ action: 'resume' });
  }
}
