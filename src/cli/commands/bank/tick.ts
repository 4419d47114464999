import { string } from '@oclif/core/flags';
import { tick, type Tick } from '../../bank/refreshing.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { integerFlag, liveFlag } from '../../shell/flags.ts';
import { tickNote, tickView } from '../../bank/view.ts';

export default class BankTick extends BaseCommand<Tick> {
  static override summary = 'Let days pass and show what they brought to bank links';
  static override description =
    'It moves the clock of the whole instance, of every tenant and of both environments: other due work runs ' +
    'too, as by clock advance. It shows the links of the key, or the one of --link: what came, and what of it and of what ' +
    'was pending before is posted. A disconnected link gets nothing.';
  static override examples = [
    '<%= config.bin %> bank tick --days 1',
    '<%= config.bin %> bank tick --days 30 --link link_7p793EF07xKXHqAeg5VGPj --json',
  ];
  static override flags = {
    days: integerFlag({ summary: 'how many', min: 1, max: 3650, required: true, helpValue: 'N' }),
    link: string({ summary: 'show this link only', helpValue: 'LINK' }),
    ...liveFlag,
  };

  async run(): Promise<Tick> {
    const { flags } = await this.parse(BankTick);
    const passed = await tick(this.client, { days: flags.days, link: flags.link });
    this.present(passed, tickView);
    this.note(tickNote(passed));
    return passed;
  }
}
