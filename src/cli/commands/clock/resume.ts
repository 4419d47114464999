import { ClockCommand, type Moved } from '../../clock/clock.ts';

export default class ClockResume extends ClockCommand {
  static override summary = 'Go back to real time';
  static override examples = ['<%= config.bin %> clock resume', '<%= config.bin %> clock resume --field now'];

  async run(): Promise<Moved> {
    await this.parse(ClockResume);
    return await this.move({ action: 'resume' });
  }
}
