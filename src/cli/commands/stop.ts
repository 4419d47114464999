import { BaseCommand } from '../shell/base-command.ts';
import { isListening } from '../../client/discover.ts';
import { stopInstance } from '../instance/lifecycle.ts';
import { requireInstance } from '../shell/daemon-access.ts';
import { stopView } from '../instance/view.ts';

interface Stopped {
  stopped: boolean;
  instance: string;
}

export default class Stop extends BaseCommand<Stopped> {
  static override summary = 'Stop the daemon; succeeds when none runs';
  static override description =
    'Where KYCLONE_BASE_URL is set, the instance at that address is meant, unless --instance names one; the instance of kyclone exec ends with its command.';
  static override examples = ['', '--instance staging'];

  async run(): Promise<Stopped> {
    await this.parse(Stop);
    const meant = await this.meant;
    if (meant.address !== undefined && !meant.instance && !(await isListening(meant.address)))
      return this.present({ stopped: false, instance: new URL(meant.address).host }, stopView);
    const target = requireInstance(meant);
    return this.present(
      { stopped: await stopInstance(target, (line) => this.note(line)), instance: target.name },
      stopView,
    );
  }
}
