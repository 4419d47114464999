import { string as stringArg } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { ClockCommand, type Moved } from '../../clock/clock.ts';
import { DURATION_HELP, writtenDuration } from '../../shell/times.ts';
import { UsageError } from '../../shell/failure.ts';

export default class ClockOffset extends ClockCommand {
  static override summary = 'Move the clock by a length of time, forward or back';
  static override description =
    'Back is a minus sign: -2h, or --by -2h. A duration that begins with -P needs --by=-PT2H, or -- before it. Work that falls ' +
    'due on the way forward runs; what has expired stays so on the way back.';
  static override examples = [
    '<%= config.bin %> clock offset 1h',
    '<%= config.bin %> clock offset -2h',
    '<%= config.bin %> clock offset --by=-PT2H',
  ];
  static override args = { by: stringArg({ description: DURATION_HELP }) };
  static override flags = { by: string({ summary: 'the same, as a flag', helpValue: 'DURATION' }) };

  async run(): Promise<Moved> {
    const { args, flags } = await this.parse(ClockOffset);
    const given = [args.by, flags.by].filter((text) => text !== undefined);
    const [by] = given;
    if (by === undefined || given.length > 1)
      throw new UsageError('By how much? One length of time, such as -2h');
    return await this.move({
      action: 'offset',
      by: writtenDuration(by, args.by === undefined ? '--by' : 'BY'),
    });
  }
}
