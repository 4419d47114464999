import { string } from '@oclif/core/flags';
import { ClockCommand, AT_HELP, type Moved } from '../../clock/clock.ts';

export default class ClockFreeze extends ClockCommand {
  static override summary = 'Stop the clock, now or at a time; work that falls due on the way runs';
  static override examples = [
    '<%= config.bin %> clock freeze',
    '<%= config.bin %> clock freeze --at 2026-12-01T09:00:00Z',
  ];
  static override flags = { at: string({ summary: `${AT_HELP} (default: now)`, helpValue: 'TIME' }) };

  async run(): Promise<Moved> {
    const { flags } = await this.parse(ClockFreeze);
    return await this.move({ action: 'freeze', ...(flags.at !== undefined && { at: flags.at }) });
  }
}
