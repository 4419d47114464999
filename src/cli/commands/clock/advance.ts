import { string } from '@oclif/core/args';
import { ClockCommand, type Moved } from '../../clock/clock.ts';
import { DURATION_HELP, writtenDuration } from '../../shell/times.ts';

export default class ClockAdvance extends ClockCommand {
  static override summary = 'Advance the clock at once and run all work that falls due, in order';
  static override description =
    'Delayed outcomes, expiries and webhook attempts run each at its own time. A receiver that hangs makes it wait: ' +
    '15 s at each attempt. A frozen clock stays frozen, at the new time. Signatures of webhooks show the real time, unless ' +
    'the setting webhooks.timestamp is clock.';
  static override examples = [
    '<%= config.bin %> clock advance 2m',
    '<%= config.bin %> clock advance 90s --json',
    '<%= config.bin %> clock advance P1DT12H',
  ];
  static override args = { by: string({ description: DURATION_HELP, required: true }) };

  async run(): Promise<Moved> {
    const { args } = await this.parse(ClockAdvance);
    return await this.move({ action: 'advance', by: writtenDuration(args.by, 'BY') });
  }
}
