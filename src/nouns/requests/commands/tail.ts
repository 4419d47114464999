import { BaseCommand } from '../../../cli/shell/base-command.ts';
import { connectionOf } from '../../../cli/shell/daemon-access.ts';
import { stopAfterFlag } from '../../../cli/shell/flags.ts';
import { filterFlags, wantsControl, type JournalEntry, runTail, requestLine } from './journal.ts';

class RequestsTail extends BaseCommand {
  static override summary = 'Show requests as they complete; values are masked';
  static override description =
    'Runs until it is interrupted. With --json each is one line, as in `requests get`. When the daemon stops, it ends ' +
    'with exit code 5.';
  static override examples = ['', '--path "/users/**" --status 400 --json'];
  static override flags = {
    ...filterFlags,
    ...stopAfterFlag,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(RequestsTail);
    const { method, path, status, 'stop-after': stopAfter } = flags;
    const connection = connectionOf(await this.access, false);
    const begun = () => this.note('Waiting for requests; Ctrl-C ends it');
    const show = (entry: JournalEntry) => this.presentEntry(entry, requestLine);
    const run = { method, path, status, control: wantsControl(flags), stopAfter };
    this.endWith(await runTail(run, connection, { begun, show }));
  }
}

export default { 'requests:tail': RequestsTail };
