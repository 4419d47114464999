import { ClockCommand, atFlag, timeArg, type Moved } from '../../clock/clock.ts';
import { defined } from '../../../kernel/defined.ts';

export default class ClockFreeze extends ClockCommand {
  static override summary = 'Stop the clock, now or at a time; work that falls due on the way runs';
  static override examples = [
    '<%= config.bin %> clock freeze',
    '<%= config.bin %> clock freeze 2026-12-01T09:00:00Z',
  ];
  static override args = { time: timeArg };
  static override flags = { at: atFlag };

  async run(): Promise<Moved> {
    const { args, flags } = await this.parse(ClockFreeze);
    const at = this.timeOf(args.time, flags.at);
    return await this.move({ action: 'freeze', ...defined({ at }) });
  }
}
