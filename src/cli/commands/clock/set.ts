import { ClockCommand, atFlag, timeArg, type Moved } from '../../clock/clock.ts';
import { UsageError } from '../../shell/failure.ts';

export default class ClockSet extends ClockCommand {
  static override summary =
    'Set the clock to a time, from which it runs on; work that falls due on the way runs';
  static override examples = [
    '<%= config.bin %> clock set 2026-12-01T09:00:00Z',
    '<%= config.bin %> clock set 2027-01-01T00:00:00Z --json',
  ];
  static override args = { time: timeArg };
  static override flags = { at: atFlag };

  async run(): Promise<Moved> {
    const { args, flags } = await this.parse(ClockSet);
    const at = this.timeOf(args.time, flags.at);
    if (at === undefined) throw new UsageError('clock set needs a time, such as 2026-12-01T09:00:00Z');
    return await this.move({ action: 'set', at });
  }
}
