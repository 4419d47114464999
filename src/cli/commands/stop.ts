import { BaseCommand } from '../base-command.ts';
import { stopInstance } from '../lifecycle.ts';
import { stopView } from '../views/lifecycle.ts';

interface Stopped {
  stopped: boolean;
  instance: string;
}

export default class Stop extends BaseCommand<Stopped> {
  static override summary = 'Stop the daemon; fine too when none runs';
  static override examples = ['<%= config.bin %> stop', '<%= config.bin %> stop --instance staging'];

  async run(): Promise<Stopped> {
    await this.parse(Stop);
    const target = await this.target;
    return this.present({ stopped: await stopInstance(target), instance: target.name }, stopView);
  }
}
