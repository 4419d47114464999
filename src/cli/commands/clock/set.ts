import { string } from '@oclif/core/args';
import { ClockCommand, AT_HELP, type Moved } from '../../clock/clock.ts';

export default class ClockSet extends ClockCommand {
  static override summary =
    'Set the clock to a time, from which it runs on; work that falls due on the way runs';
  static override examples = [
    '<%= config.bin %> clock set 2026-12-01T09:00:00Z',
    '<%= config.bin %> clock set 2027-01-01T00:00:00Z --json',
  ];
  static override args = { at: string({ description: AT_HELP, required: true }) };

  async run(): Promise<Moved> {
    const { args } = await this.parse(ClockSet);
    return await this.move({ action: 'set', at: args.at });
  }
}
